package comm_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/comm/internal/suite"
	"github.com/tilesmith/tilesmith/internal/level"
)

// plain is a transport that can do no more than one must.
type plain struct{ comm.Transport }

func (t plain) Split(color, key int) (comm.Transport, error) {
	s, err := t.Transport.Split(color, key)
	if s == nil || err != nil {
		return nil, err
	}
	return plain{s}, nil
}

// quick is one of which a short Send does not wait.
type quick struct{ plain }

func (t quick) Prompt(bytes int) bool { return bytes < 1<<10 }

func (t quick) Split(color, key int) (comm.Transport, error) {
	s, err := t.Transport.Split(color, key)
	if s == nil || err != nil {
		return nil, err
	}
	return quick{plain{s}}, nil
}

// ways are goroutine ranks that compare in memory, and such that do so by messages, as
// processes do.
var ways = []struct {
	name string
	comm func(c *comm.Comm) *comm.Comm
}{
	{"memory", func(c *comm.Comm) *comm.Comm { return c }},
	{"messages", func(c *comm.Comm) *comm.Comm { return comm.New(plain{comm.TransportOf(c)}) }},
	{"prompt messages", func(c *comm.Comm) *comm.Comm { return comm.New(quick{plain{comm.TransportOf(c)}}) }},
}

// TestDisagree: whatever ranks give a collective differently ends the run with an error that
// has both values, whichever rank is the odd one.
func TestDisagree(t *testing.T) {
	for _, w := range ways {
		for _, d := range suite.Disagreements {
			for p := 2; p <= 5; p++ {
				odds := []int{p - 1} // of neighbours, some cases need the last
				if !strings.Contains(d.Name, "nothing") && !strings.Contains(d.Name, "root") {
					odds = append(odds, 0, 1)
				}
				for _, odd := range odds {
					t.Run(fmt.Sprintf("%s/%s/p=%d/odd=%d", w.name, d.Name, p, odd), func(t *testing.T) {
						t.Parallel()
						err := comm.Run(p, func(c *comm.Comm) error { return d.Run(w.comm(c), c.Rank() == odd) })
						if err == nil {
							t.Fatal("no error")
						}
						var dead *comm.DeadlockError
						if errors.As(err, &dead) {
							t.Errorf("found by the deadlock only: %v", err)
						}
						for _, says := range d.Says {
							if !strings.Contains(err.Error(), says) {
								t.Errorf("%v\nand not %q", err, says)
							}
						}
					})
				}
			}
		}
	}
}

// TestLongCounts: counts that are too many to be told are still compared.
func TestLongCounts(t *testing.T) {
	for _, w := range ways {
		err := comm.Run(60, func(c *comm.Comm) error {
			c = w.comm(c)
			counts := make([]int, c.Size())
			for r := range counts {
				counts[r] = 1000 + r
			}
			if c.Rank() == 30 {
				counts[1], counts[2] = counts[2], counts[1]
			}
			return comm.Gather(c, 0, make([]int8, (1000+1059)*30), counts, make([]int8, counts[c.Rank()]))
		})
		if err == nil || strings.Count(err.Error(), "of 61770 int8 in all, by counts with the hash ") < 2 {
			t.Errorf("%s: %v", w.name, err)
		}
	}
}

// TestSuiteByMessages runs the suite on ranks that compare by messages.
func TestSuiteByMessages(t *testing.T) {
	for _, w := range ways[1:level.Of(2, len(ways), len(ways))] {
		err := comm.Run(level.Of(2, 3, 3), func(c *comm.Comm) error { return suite.Run(w.comm(c), suite.Options{Seed: 5}) })
		if err != nil {
			t.Errorf("%s: %v", w.name, err)
		}
	}
}

// TestUncalled: a collective that a rank leaves out, or calls once more, is noticed where
// nobody waits for it, too: what ranks that send messages would wait for.
func TestUncalled(t *testing.T) {
	gather := func(c *comm.Comm) error {
		counts := make([]int, c.Size()) // of all ranks but the first nothing
		counts[0] = 2
		return comm.Gather(c, 0, make([]int32, 2), counts, make([]int32, counts[c.Rank()]))
	}
	for _, c := range []struct {
		name, says string
		times      func(rank int) int
	}{
		{"once more", "rank 2 calls Gather of [2 0 0] int32 by ranks with root 0, as collective 2 of a group of 3 ranks, of which 2 never do", func(rank int) int { return 1 + rank/2 }},
		{"left out", "rank 0 calls Gather of [2 0 0] int32 by ranks with root 0, as collective 1 of a group of 3 ranks, of which 2 never do", func(rank int) int { return (2 - rank) / 2 }},
	} {
		err := comm.Run(3, func(g *comm.Comm) error {
			for range c.times(g.Rank()) {
				if err := gather(g); err != nil {
					return err
				}
			}
			return nil
		})
		var dis *comm.DisagreeError
		if !errors.As(err, &dis) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// Of two groups, each calls what it calls.
	if err := comm.Run(3, func(c *comm.Comm) error {
		g, err := c.Split(c.Rank()%2, 0)
		if err != nil || c.Rank() == 1 {
			return err
		}
		return gather(g)
	}); err != nil {
		t.Error(err)
	}
}

// late is a rank whose messages, and so what it says it calls, take long, and deaf is one that takes long to receive.
type (
	late struct{ quick }
	deaf struct{ quick }
)

const long = 30 * time.Millisecond

func (t late) Send(dst, tag int, b []byte) error {
	time.Sleep(long)
	return t.quick.Send(dst, tag, b)
}

func (t deaf) Recv(src, tag int, b []byte) (comm.Status, error) {
	time.Sleep(4 * long)
	return t.quick.Recv(src, tag, b)
}

func (t deaf) Irecv(src, tag int, b []byte) (comm.Request, error) {
	time.Sleep(4 * long)
	return t.quick.Irecv(src, tag, b)
}

// TestDisagreeLate: a message of another length may come before the reason for it does, and be the first thing that a rank finds.
func TestDisagreeLate(t *testing.T) {
	for _, d := range suite.Disagreements {
		if d.Name != "AllReduce, length" {
			continue
		}
		err := comm.Run(5, func(c *comm.Comm) error {
			own := quick{plain{comm.TransportOf(c)}}
			ranks := []comm.Transport{own, deaf{own}, own, own, late{own}}
			return d.Run(comm.New(ranks[c.Rank()]), c.Rank() == 0)
		})
		for _, says := range d.Says {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%v\nand not %q", err, says)
			}
		}
		return
	}
	t.Error("no case has another length of AllReduce")
}
