package comm_test

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/comm/internal/suite"
)

// TestEndings: what ranks leave behind is an error, and what they may leave is none.
func TestEndings(t *testing.T) {
	for _, e := range suite.Endings {
		t.Run(e.Name, func(t *testing.T) {
			err := comm.Run(2, e.Run)
			if e.Says == "" && err != nil || e.Says != "" && (err == nil || !strings.Contains(err.Error(), e.Says)) {
				t.Errorf("error %v, want %q", err, e.Says)
			}
		})
	}
}

// TestAfterRun: the ranks of a run that is over can do nothing more.
func TestAfterRun(t *testing.T) {
	var kept *comm.Comm
	if err := comm.Run(1, func(c *comm.Comm) error { kept = c; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := comm.Send(kept, 0, 0, []byte{1}); err == nil || !strings.Contains(err.Error(), "the group is closed") {
		t.Errorf("a send after the run: %v", err)
	}
}
