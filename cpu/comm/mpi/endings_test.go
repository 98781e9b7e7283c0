package mpi

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/comm/internal/suite"
	"github.com/tilesmith/tilesmith/internal/level"
)

func init() {
	for _, e := range suite.Endings {
		tasks["ending: "+e.Name] = func() error { return options().Run(0, e.Run) }
	}
	for _, d := range suite.Disagreements {
		tasks["disagree: "+d.Name] = func() error {
			return options().Run(0, func(c *comm.Comm) error { return d.Run(c, c.Rank() == c.Size()-1) })
		}
	}
	tasks["disagree: natively"] = func() error {
		return options().Run(0, func(c *comm.Comm) error {
			if err := c.Native(true); err != nil {
				return err
			}
			op := comm.Sum[float64]()
			if c.Rank() == 1 {
				op = comm.Max[float64]()
			}
			return comm.AllReduce(c, make([]float64, 10), op)
		})
	}
	tasks["disagree: Native"] = func() error {
		return options().Run(0, func(c *comm.Comm) error {
			return c.Native(c.Rank() == 1)
		})
	}
	// All but the last rank are done at once.
	tasks["late"] = func() error {
		o := options()
		o.patience = time.Second
		return o.Run(0, func(c *comm.Comm) error {
			if c.Rank() < c.Size()-1 {
				return nil
			}
			time.Sleep(3 * time.Second)
			return nil
		})
	}
}

// TestEndings is what goroutine ranks do too.
func TestEndings(t *testing.T) {
	each(t, func(t *testing.T, i installation) {
		for _, e := range suite.Endings[:level.Of(1, 2, len(suite.Endings))] {
			t.Run(e.Name, func(t *testing.T) {
				r := i.run(t, 2, "ending: "+e.Name)
				if r.failed != (e.Says != "") || !strings.Contains(r.errs, e.Says) {
					t.Errorf("failed: %v, and printed, with %q wanted:\n%s", r.failed, e.Says, r.errs)
				}
				if r.failed && r.took > 5*time.Second+startup {
					t.Errorf("it took %v", r.took)
				}
			})
		}
	})
}

// TestDisagree: so do ranks that give a collective different arguments end the job.
func TestDisagree(t *testing.T) {
	each(t, func(t *testing.T, i installation) {
		list := append([]suite.Disagreement{
			{Name: "natively", Says: [2]string{"AllReduce of 10 float64 by sum", "AllReduce of 10 float64 by max"}},
			{Name: "Native", Says: [2]string{"Native", "rank 1 true"}},
		}, suite.Disagreements...)
		for _, d := range list[:level.Of(1, 3, len(list))] {
			t.Run(d.Name, func(t *testing.T) {
				r := i.run(t, 2, "disagree: "+d.Name)
				if !r.failed || r.took > 5*time.Second+startup {
					t.Errorf("failed: %v, after %v", r.failed, r.took)
				}
				for _, says := range d.Says {
					if !strings.Contains(r.errs, says) {
						t.Errorf("printed, and not %q:\n%s", says, r.errs)
					}
				}
			})
		}
	})
}

// TestLate: who waits in the last barrier says for whom, once, and still ends well.
func TestLate(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for seconds")
	}
	each(t, func(t *testing.T, i installation) {
		for _, env := range [][]string{nil, {"ONE_THREAD=1"}} {
			if env != nil && !long() {
				continue
			}
			r := i.run(t, 3, "late", env...).ok(t)
			if want := "mpi: rank 0 returned 1s ago, and rank 2 has not. "; strings.Count(r.errs, want) != 1 || strings.Count(r.errs, "returned 1s ago") != 1 {
				t.Errorf("printed, with %q wanted once:\n%s", want, r.errs)
			}
		}
	})
}

func TestMissing(t *testing.T) {
	many := make([]bool, 30)
	many[0] = true
	for _, c := range []struct {
		returned []bool
		rank     int
		want     string // how it begins, "" for nothing
	}{
		{[]bool{true, false, true}, 0, "mpi: rank 0 returned 5s ago, and rank 1 has not. "},
		{[]bool{true, false, true}, 2, ""},
		{[]bool{false, true, false}, 1, "mpi: rank 1 returned 5s ago, and ranks 0, 2 have not. "},
		{[]bool{true, true}, 0, ""},
		{many, 0, "mpi: rank 0 returned 5s ago, and ranks 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 9 more have not. "},
	} {
		if got := missing(c.returned, c.rank, patience); !strings.HasPrefix(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%v, rank %d: %q, want %q", fmt.Sprint(c.returned), c.rank, got, c.want)
		}
	}
}
