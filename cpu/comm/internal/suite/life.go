package suite

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// closed makes every call in a group that is closed.
func closed(s *state) {
	g := got(s.Split(0, s.me))
	part := got(g.Split(0, s.me))
	need(g.Close())
	for what, err := range calls(g) {
		s.expect(errors.Is(err, comm.ErrClosed) && strings.Contains(err.Error(), "comm."+what+" on rank"), "%s in a closed group: %v", what, err)
	}
	need(part.Barrier()) // which was split from it
	need(part.Close())
}

// calls returns the errors of all functions, in a group where they end at once.
func calls(c *comm.Comm) map[string]error {
	p, x := c.Size(), []float64{1}
	sum, counts, all := comm.Sum[float64](), make([]int, p), make([]float64, p)
	request := func(_ comm.Request, err error) error { return err }
	status := func(_ comm.Status, err error) error { return err }
	group := func(_ *comm.Comm, err error) error { return err }
	return map[string]error{
		"Send": comm.Send(c, 0, 0, x), "Recv": status(comm.Recv(c, 0, 0, x)),
		"Isend": request(comm.Isend(c, 0, 0, x)), "Irecv": request(comm.Irecv(c, 0, 0, x)),
		"Sendrecv": status(comm.Sendrecv(c, 0, 0, x, 0, 0, x)), "Probe": status(c.Probe(0, 0)),
		"Exchange":  comm.Exchange(c, 0, nil, nil, [][]float64(nil)),
		"AllReduce": comm.AllReduce(c, x, sum), "Reduce": comm.Reduce(c, 0, x, x, sum),
		"ReduceScatter": comm.ReduceScatter(c, nil, nil, counts, sum), "Broadcast": comm.Broadcast(c, 0, x),
		"AllGather": comm.AllGather(c, all, x), "AllGatherV": comm.AllGatherV(c, nil, counts, x[:0]),
		"Gather": comm.Gather(c, 0, nil, counts, x[:0]), "Scatter": comm.Scatter(c, 0, nil, x[:0], counts),
		"AllToAllV": comm.AllToAllV(c, nil, counts, x[:0], counts), "Barrier": c.Barrier(),
		"Split": group(c.Split(0, 0)), "Close": c.Close(),
	}
}

// unwaited closes a group with a receive that was begun, which it refuses until that is done.
func unwaited(s *state) {
	g := got(s.Split(0, s.me))
	r := got(comm.Irecv(g, s.me, 5, make([]byte, 8)))
	err := g.Close()
	s.expect(err != nil && strings.Contains(err.Error(), "closes a group with 1 messages that were begun and not waited for"), "Close with a receive begun: %v", err)
	need(comm.Send(g, s.me, 5, make([]byte, 8)))
	need(g.Wait(r))
	need(g.Close())
}

// twice has two goroutines begin a collective, and wait for one request: one of them may.
func twice(s *state) {
	const begun, start = 1, 2
	if s.p > 1 {
		if s.me > 0 {
			got(comm.Recv(s.Comm, 0, start, []byte{}))
			need(s.Barrier())
			return
		}
		first, all := both(s.Barrier)
		err := <-first
		s.expect(err != nil && strings.Contains(err.Error(), "Barrier runs on this Comm at the same time"), "two Barriers at once: %v", err)
		for r := 1; r < s.p; r++ {
			need(comm.Send(s.Comm, r, start, []byte{}))
		}
		all.Wait()
		need(<-first)
	}
	r := got(comm.Irecv(s.Comm, s.me, begun, []byte{}))
	first, all := both(func() error { return s.Wait(r) })
	err := <-first
	s.expect(err != nil && strings.Contains(err.Error(), "request"), "two goroutines that wait for a request: %v", err)
	need(comm.Send(s.Comm, s.me, begun, []byte{}))
	all.Wait()
	need(<-first)
}

// both runs f twice at once.
func both(f func() error) (errs chan error, all *sync.WaitGroup) {
	errs, all = make(chan error, 2), new(sync.WaitGroup)
	for range 2 {
		all.Go(func() { errs <- f() })
	}
	return errs, all
}

// nothing sends and receives nil, and this rank's own short messages before their receive.
func nothing(s *state) {
	right, left := (s.me+1)%s.p, (s.me+s.p-1)%s.p
	st := got(comm.Sendrecv[float32](s.Comm, right, 0, nil, left, 0, nil))
	s.expect(st == comm.Status{Source: left}, "a message of nil has status %+v", st)
	one := got(comm.Isend(s.Comm, right, 0, []int8{1}))
	if _, err := comm.Recv[int8](s.Comm, left, 0, nil); err == nil {
		s.expect(false, "a message of a byte for nil is no error")
	}
	two := got(comm.Isend(s.Comm, s.me, 3, []int8{7, 8}))
	st = got(s.Probe(s.me, 3))
	s.expect(st == comm.Status{Source: s.me, Tag: 3, Bytes: 2}, "a message to oneself has status %+v", st)
	x := make([]int8, 2)
	got(comm.Recv(s.Comm, comm.AnySource, 3, x))
	s.expect(x[0] == 7 && x[1] == 8, "of oneself came %v", x)
	need(s.Wait(one, two))
	if _, err := s.Some([]comm.Request{nil, noRequest{}}, false, nil); err == nil || !strings.Contains(err.Error(), "request 1 is a") {
		s.expect(false, "Some of a request of somebody else's: %v", err)
	}
	counts := make([]int, s.p)
	for _, err := range []error{
		comm.AllReduce(s.Comm, nil, comm.Sum[int64]()), comm.Reduce(s.Comm, 0, nil, nil, comm.Sum[int64]()),
		comm.ReduceScatter(s.Comm, nil, nil, counts, comm.Sum[int64]()), comm.Broadcast[int64](s.Comm, 0, nil),
		comm.AllGather[int64](s.Comm, nil, nil), comm.Gather[int64](s.Comm, 0, nil, counts, nil),
		comm.Scatter[int64](s.Comm, 0, nil, nil, counts), comm.AllToAllV[int64](s.Comm, nil, counts, nil, counts),
		comm.Exchange[int64](s.Comm, 0, nil, nil, nil),
	} {
		need(err)
	}
}

type noRequest struct{}

func (noRequest) Status() (comm.Status, error) { return comm.Status{}, nil }

// An Ending is how a rank's function may end, each in a run of its own.
type Ending struct {
	Name string
	Run  func(c *comm.Comm) error
	Says string // in the error of the run; "" for no error
}

// Endings leave something behind, or close what is closed for them.
var Endings = []Ending{
	{"a message left", leave(false, false), "messages are left when all ranks have returned: rank 1 did not receive 8 bytes of rank 0 (tag 5)"},
	{"a message left in a group", leave(true, false), "messages are left when all ranks have returned: rank 1 did not receive "},
	{"a message left in a closed group", leave(true, true), "messages are left when all ranks have returned: rank 1 did not receive "},
	{"a receive left", func(c *comm.Comm) error {
		_, err := comm.Irecv(c, c.Rank(), 5, make([]byte, 8))
		return err
	}, "closes a group with 1 messages that were begun and not waited for"},
	{"a receive left in a group", func(c *comm.Comm) error {
		g, err := c.Split(0, 0)
		if err != nil {
			return err
		}
		_, err = comm.Irecv(g, g.Rank(), 5, make([]byte, 8))
		return err
	}, "closes a group with 1 messages that were begun and not waited for"},
	{"the world closed", func(c *comm.Comm) error { return c.Close() }, ""},
	{"calls after the world", func(c *comm.Comm) error {
		g, err := c.Split(0, 0)
		if err != nil {
			return err
		}
		if err := c.Close(); err != nil {
			return err
		}
		for _, x := range []*comm.Comm{c, g} {
			for what, err := range calls(x) {
				if !errors.Is(err, comm.ErrClosed) {
					return fmt.Errorf("%s after the world's end: %w", what, err)
				}
			}
		}
		return nil
	}, ""},
	{"an end without a reason", func(c *comm.Comm) error {
		if c.Rank() == 0 {
			c.Abort(nil)
		}
		_, err := comm.Recv(c, c.Rank(), 1, []byte{})
		return err
	}, "without an error"},
	{"a receive that is too short", func(c *comm.Comm) error {
		if c.Rank() == 0 {
			return comm.Send(c, 1, 5, make([]byte, 8))
		}
		if c.Rank() == 1 {
			comm.Recv(c, 0, 5, make([]byte, 7)) // fails, and takes it
		}
		return nil
	}, ""},
}

// leave sends a message that nobody receives.
func leave(group, closed bool) func(c *comm.Comm) error {
	return func(c *comm.Comm) error {
		g := c
		if group {
			var err error
			if g, err = c.Split(0, 0); err != nil {
				return err
			}
		}
		if g.Rank() == 0 {
			if err := comm.Send(g, 1, 5, make([]byte, 8)); err != nil {
				return err
			}
		}
		if closed {
			return g.Close()
		}
		return nil
	}
}
