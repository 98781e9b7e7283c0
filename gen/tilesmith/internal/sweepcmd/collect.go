package sweepcmd

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/verify/sweep"
)

// collector keeps what it hands on, until end: a kernel that Ctrl-C did not stop may
// still have something to say.
type collector struct {
	next sweep.Sink // may be nil
	bar  *cli.Progress
	warn io.Writer // is told what to know of peers

	mu       sync.Mutex
	ended    bool
	total    int
	machine  *sweep.Machine
	results  []sweep.Result
	verdicts []sweep.Verdict
	notes    []string // for a page
}

func (c *collector) take(keep func(), hand func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return cli.ErrInterrupted
	}
	keep()
	if c.next == nil {
		return nil
	}
	return hand()
}

func (c *collector) Machine(m *sweep.Machine) error {
	first := false
	return c.take(func() {
		if first = c.machine == nil; first {
			c.machine = m
			for _, p := range m.Peers {
				if p.Note != "" {
					fmt.Fprintf(c.warn, "tilesmith: %s: %s\n", p.Name, p.Note)
				}
			}
		}
	}, func() error { return c.next.Machine(m) })
}

func (c *collector) Result(r *sweep.Result) error {
	return c.take(func() { c.results = append(c.results, *r) }, func() error { return c.next.Result(r) })
}

func (c *collector) Verdict(v *sweep.Verdict) error {
	return c.take(func() { c.verdicts = append(c.verdicts, *v) }, func() error { return c.next.Verdict(v) })
}

// Progress is told what goes on, here and by programs around a user's kernels.
func (c *collector) Progress(done, total int, what string) {
	c.mu.Lock()
	ended := c.ended
	c.total = max(c.total, total)
	c.mu.Unlock()
	if !ended {
		c.bar.Step(done, total, what)
	}
}

// end takes no more. It returns how many results or verdicts there are and how many
// there were to be, as far as that is known.
func (c *collector) end() (done, total int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	return len(c.results) + len(c.verdicts), c.total
}

// wrong is an error if something did not match: what, where, and how many.
func (c *collector) wrong() error {
	var names []string
	for _, r := range c.results {
		if r.Mismatch != "" {
			names = append(names, fmt.Sprintf("%s %s isa=%s %v: %s", r.Kernel, r.Types, r.ISA, r.Workload, r.Mismatch))
		}
	}
	for _, v := range c.verdicts {
		if !v.Good() {
			names = append(names, fmt.Sprintf("%s %s isa=%s: %s", v.Kernel, v.Types, v.ISA, v.Failures[0]))
		}
	}
	if names == nil {
		return nil
	}
	more := ""
	if n := len(names) - 1; n > 0 {
		more = fmt.Sprintf("; and %d more", n)
	}
	first, _, _ := strings.Cut(names[0], "\n")
	return fmt.Errorf("mismatch, and nothing was timed there: %s%s", first, more)
}
