package comm

import (
	"strings"
	"testing"
)

// TestLengthsDisagree: ranks that give a collective different lengths end with an error on
// all of them, which says so, or who waits for whom.
func TestLengthsDisagree(t *testing.T) {
	counts := func(c *Comm, n, odd int) []int {
		list := c.equal(n)
		if c.Rank() == 2 {
			list[1] = odd
		}
		return list
	}
	for what, f := range map[string]func(c *Comm, long bool) error{
		"AllReduce of little": func(c *Comm, odd bool) error {
			n := 10
			if odd {
				n = 11
			}
			return AllReduce(c, make([]float64, n), Sum[float64]())
		},
		"AllReduce of much": func(c *Comm, odd bool) error {
			n := 1 << 18
			if odd {
				n++
			}
			return AllReduce(c, make([]float64, n), Sum[float64]())
		},
		"AllReduce of little and much": func(c *Comm, odd bool) error {
			n := 10
			if odd {
				n = 1 << 18
			}
			return AllReduce(c, make([]float64, n), Sum[float64]())
		},
		"AllReduce of nothing": func(c *Comm, odd bool) error {
			n := 10
			if odd {
				n = 0
			}
			return AllReduce(c, make([]float64, n), Sum[float64]())
		},
		"Reduce": func(c *Comm, odd bool) error {
			n := 10
			if odd {
				n = 9
			}
			return Reduce(c, 0, make([]float64, n), make([]float64, n), Sum[float64]())
		},
		"Broadcast": func(c *Comm, odd bool) error {
			n := 10
			if odd {
				n = 12
			}
			return Broadcast(c, 2, make([]float64, n))
		},
		"Broadcast of much": func(c *Comm, odd bool) error {
			n := 1 << 18
			if odd {
				n = 10
			}
			return Broadcast(c, 1, make([]float64, n))
		},
		"AllGather": func(c *Comm, odd bool) error {
			n := 10
			if odd {
				n = 12
			}
			return AllGather(c, make([]float64, 4*n), make([]float64, n))
		},
		"AllGatherV": func(c *Comm, odd bool) error {
			list := counts(c, 1000, 1001)
			return AllGatherV(c, make([]float64, sums(list)[4]), list, make([]float64, list[c.Rank()]))
		},
		"ReduceScatter": func(c *Comm, odd bool) error {
			list := counts(c, 1000, 999)
			return ReduceScatter(c, make([]float64, list[c.Rank()]), make([]float64, sums(list)[4]), list, Sum[float64]())
		},
		"Gather": func(c *Comm, odd bool) error {
			list := counts(c, 10, 11)
			return Gather(c, 2, make([]float64, sums(list)[4]), list, make([]float64, list[c.Rank()]))
		},
		"Scatter": func(c *Comm, odd bool) error {
			list := counts(c, 10, 9)
			return Scatter(c, 2, make([]float64, list[c.Rank()]), make([]float64, sums(list)[4]), list)
		},
		"AllToAllV": func(c *Comm, odd bool) error {
			list := counts(c, 10, 11)
			return AllToAllV(c, make([]float64, sums(list)[4]), list, make([]float64, 40), c.equal(10))
		},
		"Exchange": func(c *Comm, odd bool) error {
			n := 10
			if odd {
				n = 0
			}
			peer := []int{c.Rank() ^ 1}
			return Exchange(c, 1, peer, [][]float64{make([]float64, n)}, [][]float64{make([]float64, 10)})
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			err := Run(4, func(c *Comm) error { return f(c, c.Rank() == 2) })
			if err == nil {
				t.Fatal("no error")
			}
			for _, says := range []string{"the ranks give different lengths", "came for a buffer of", "deadlock: ", "messages are left"} {
				if strings.Contains(err.Error(), says) {
					return
				}
			}
			t.Error(err)
		})
	}
}
