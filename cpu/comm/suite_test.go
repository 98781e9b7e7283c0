package comm_test

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/comm/internal/suite"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/tiling/cost"
)

// TestSuite runs every operation on 1 to 9 goroutine ranks.
func TestSuite(t *testing.T) {
	for _, p := range level.Of([]int{3}, []int{1, 2, 3, 5}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Run(fmt.Sprintf("ranks=%d", p), func(t *testing.T) {
			err := comm.Run(p, func(c *comm.Comm) error {
				return suite.Run(c, suite.Options{Seed: uint64(p), Long: level.Long()})
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSuiteWrapped runs it where the sender sleeps.
func TestSuiteWrapped(t *testing.T) {
	if testing.Short() {
		t.Skip("sends sleep")
	}
	err := comm.Run(level.Of(2, 3, 4), func(c *comm.Comm) error {
		c, err := comm.Delay(c, cost.Link{Latency: 10e-6, Bandwidth: 8e9})
		if err != nil {
			return err
		}
		if err := suite.Run(c, suite.Options{Seed: 1}); err != nil {
			return err
		}
		return c.Close()
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSuiteModes runs it where every message waits for its receive, where none does, and
// where they take time.
func TestSuiteModes(t *testing.T) {
	for name, l := range map[string]comm.Local{
		"eager=none": {Eager: -1},
		"eager=all":  {Eager: 1 << 30},
		"delayed":    {Link: cost.Link{Latency: 20e-6, Bandwidth: 4e9}},
	} {
		if testing.Short() && l.Eager >= 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			err := l.Run(level.Of(2, 3, 4), func(c *comm.Comm) error { return suite.Run(c, suite.Options{Seed: 1}) })
			if err != nil {
				t.Error(err)
			}
		})
	}
}
