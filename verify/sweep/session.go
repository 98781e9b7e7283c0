package sweep

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// A Session is what to check and time, and with what.
type Session struct {
	Kernels []Kernel
	Grid    Grid
	ISAs    []string // nil: the best one to sweep, all to verify
	All     bool     // every variant that has kernels of its own, in place of ISAs
	Threads []int    // nil: 1
	Peers   []Peer
	Time    time.Duration // for each function of a point: ours and every peer's; 0: 200 ms
	Runs    int           // at least, of each function at a point; 0: 3

	Instruments Instruments
	// Progress is told what is going on, and how many points or variants of all are done;
	// may be nil.
	Progress func(done, total int, what string)

	best        map[*Kernel]string
	measured    *machine.Machine
	done, total int
}

func (s *Session) progress(format string, args ...any) {
	if s.Progress != nil {
		s.Progress(s.done, s.total, fmt.Sprintf(format, args...))
	}
}

// points counts what [Session.Sweep] hands over.
func (s *Session) points() int {
	n := 0
	for i := range s.Kernels {
		k := &s.Kernels[i]
		n += len(k.Workloads(s.Grid)) * len(s.isas(k)) * len(s.threads())
	}
	return n
}

func (s *Session) threads() []int {
	if s.Threads == nil {
		return []int{1}
	}
	return s.Threads
}

// isas returns the variants to sweep k with: those that are asked for, or its best.
func (s *Session) isas(k *Kernel) []string {
	if s.All {
		return slices.DeleteFunc(run.ISAs(), k.repeats)
	}
	if s.ISAs != nil {
		return s.ISAs
	}
	if s.best == nil {
		s.best = map[*Kernel]string{}
	}
	if s.best[k] == "" {
		s.best[k] = k.best(&s.Instruments)
	}
	return []string{s.best[k]}
}

// protect calls f and turns a panic of the kernel into an error.
func protect(f func() error) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("panic: %v\n%s", e, debug.Stack())
			if cause, ok := e.(error); ok {
				err = fmt.Errorf("panic: %w\n%s", cause, debug.Stack())
			}
		}
	}()
	return f()
}

// Sweep checks and then times every kernel at every workload, and hands over each result
// as it comes. A kernel that does not match gives a result with a Mismatch. It is not
// timed there, and that is not an error. m is what [Session.Machine] returned.
func (s *Session) Sweep(m *Machine, each func(Result) error) error {
	s.done, s.total = 0, s.points()
	for i := range s.Kernels {
		k := &s.Kernels[i]
		for _, workload := range k.Workloads(s.Grid) {
			for _, isa := range s.isas(k) {
				for _, threads := range s.threads() {
					p := Point{workload, isa, threads}
					s.progress("%s %s %s %v, %d threads", k.Name, k.Types, isa, workload, threads)
					r := s.point(m, k, p)
					s.done++
					if err := each(r); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// point checks one point and times it.
func (s *Session) point(m *Machine, k *Kernel, p Point) Result {
	r := Result{Kernel: k.Name, Package: k.Package, Family: k.Family, Types: k.Types, Point: p}
	if r.Skipped = k.lacks(p.ISA); r.Skipped != "" {
		return r
	}
	problem, err := k.Ready(p)
	if err != nil {
		r.Skipped = err.Error()
		return r
	}
	if err := protect(problem.Check); err != nil {
		r.Mismatch = err.Error()
		return r
	}
	fs := []func(times int){repeated(problem.Run)}
	for _, peer := range s.Peers {
		if problem.Beside == nil {
			break
		}
		if x, err := s.rival(&r, problem, peer, p.Threads); x != nil {
			if fs = append(fs, x.Run); x.Close != nil {
				defer x.Close()
			}
		} else if err != nil {
			r.Peers = append(r.Peers, PeerResult{Name: peer.Name, ISA: peer.ISA, Error: err.Error()})
		}
	}
	runtime.GC() // of what checks left, now and not meanwhile
	var t times
	if err := protect(func() error {
		t = s.time(fs, p.Threads, func() float64 {
			c := s.Instruments.ceiling(p.ISA, k, p.Threads)
			r.CeilingBy = c.By
			return c.Rate
		})
		return nil
	}); err != nil {
		r.Mismatch, r.Peers = err.Error(), nil
		return r
	}
	r.measured(t, problem)
	r.roofline(m)
	n := 1
	for i := range r.Peers {
		if q := &r.Peers[i]; q.Error == "" {
			q.Seconds, q.Samples, q.Calls = median(t.seconds[n]), t.seconds[n], t.reps[n]
			q.GFLOPS = finite(problem.Flops / q.Seconds / 1e9)
			q.Ratio = finite(q.Seconds / r.Seconds)
			n++
		}
	}
	s.predict(m, &r, problem)
	return r
}

// rival makes a peer ready and checks it. It is nil if the peer has no such product,
// with an error if it is wrong.
func (s *Session) rival(r *Result, problem *Problem, peer Peer, threads int) (*Rival, error) {
	if peer.SetThreads != nil {
		peer.SetThreads(threads)
	}
	var x *Rival
	err := protect(func() (err error) {
		if x, err = problem.Beside(peer); x == nil || err != nil {
			return err
		}
		return x.Check()
	})
	switch {
	case err != nil && x != nil && x.Close != nil:
		x.Close()
		fallthrough
	case err != nil:
		return nil, err
	case x != nil:
		r.Peers = append(r.Peers, PeerResult{Name: peer.Name, ISA: peer.ISA})
	}
	return x, nil
}

// Machine describes the machine, measures its ceilings for what the session needs, and
// lists the peers.
func (s *Session) Machine() *Machine {
	m := thisMachine()
	s.done, s.total = 0, s.points()
	m.Peers = s.Peers
	for i := range s.Kernels {
		k := &s.Kernels[i]
		for _, isa := range s.isas(k) {
			for _, threads := range s.threads() {
				c := Ceiling{ISA: isa, Type: k.Acc.String(), Threads: threads}
				if k.A != dtype.Invalid {
					c.Type = k.Types
				}
				if k.lacks(isa) != "" || slices.ContainsFunc(m.Ceilings, func(x Ceiling) bool { x.GFLOPS, x.By = 0, ""; return x == c }) {
					continue
				}
				s.progress("measuring products from registers: %s %s", isa, c.Type)
				for range 5 {
					x := s.Instruments.ceiling(isa, k, threads)
					c.GFLOPS, c.By = max(c.GFLOPS, x.Rate/1e9), x.By
				}
				m.Ceilings = append(m.Ceilings, c)
			}
		}
	}
	isa := run.ISAs()[0]
	if len(m.Ceilings) > 0 {
		isa = m.Ceilings[0].ISA
	}
	s.progress("measuring bandwidths")
	for _, l := range s.Instruments.levels(isa) {
		m.Levels = append(m.Levels, l)
	}
	return m
}
