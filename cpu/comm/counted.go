package comm

import (
	"fmt"
	"sync"
)

// send is Transport.Send, counted.
func (c *Comm) send(dst, tag int, b []byte) error {
	n := c.now()
	if err := c.t.Send(dst, tag, b); err != nil {
		return err
	}
	if dst != c.rank {
		n.send(len(b))
	}
	return nil
}

// recv is Transport.Recv, counted.
func (c *Comm) recv(src, tag int, b []byte) (Status, error) {
	n := c.now()
	s, err := c.t.Recv(src, tag, b)
	if err == nil && s.Source != c.rank {
		n.receive(s.Bytes)
	}
	return s, err
}

// isend is Transport.Isend, counted.
func (c *Comm) isend(dst, tag int, b []byte) (Request, error) {
	r, err := c.t.Isend(dst, tag, b)
	if err != nil {
		return nil, err
	}
	if dst != c.rank {
		c.now().send(len(b))
	}
	c.life.begin(1)
	return &counted{t: r, rank: c.rank, life: c.life}, nil
}

// irecv is Transport.Irecv, counted when it is done.
func (c *Comm) irecv(src, tag int, b []byte) (Request, error) {
	r, err := c.t.Irecv(src, tag, b)
	if err != nil {
		return nil, err
	}
	c.life.begin(1)
	return &counted{t: r, rank: c.rank, n: c.now(), life: c.life}, nil
}

// counted is a request of a Comm: that of its transport, with what it counts for.
type counted struct {
	t    Request
	rank int
	n    *tally // of a receive
	life *life  // of the group, nil for what a collective knows of
}

func (r *counted) Status() (Status, error) { return r.t.Status() }

// Some appends to done the indices of the requests that are done now and were not at the
// last call. With wait, it waits for at least one, unless all were done before. A nil
// request counts as one that was. The requests may be of several groups that were split
// from one. The Status of a request has its outcome, which may be an error.
func (c *Comm) Some(requests []Request, wait bool, done []int) ([]int, error) {
	done, err := c.some(requests, wait, done)
	return done, c.wrap("Some", err)
}

func (c *Comm) some(requests []Request, wait bool, done []int) ([]int, error) {
	s := lists.Get().(*someLists)
	defer s.free()
	for i, r := range requests {
		switch r := r.(type) {
		case nil:
			s.inner = append(s.inner, nil)
		case *counted:
			s.inner = append(s.inner, r.t)
		default:
			return done, fmt.Errorf("request %d is a %T, which does not belong to a Comm", i, r)
		}
	}
	n := len(done)
	done, err := c.t.Some(s.inner, wait, done)
	for _, i := range done[n:] {
		r := requests[i].(*counted)
		if r.life != nil {
			r.life.begin(-1)
		}
		if r.n == nil {
			continue
		}
		if s, err := r.t.Status(); err == nil && s.Source != r.rank {
			r.n.receive(s.Bytes)
		}
	}
	return done, err
}

// lists are what Some and Wait need while they run.
var lists = sync.Pool{New: func() any { return new(someLists) }}

type someLists struct {
	inner []Request
	done  []int
}

func (s *someLists) free() {
	clear(s.inner)
	s.inner, s.done = s.inner[:0], s.done[:0]
	lists.Put(s)
}

// Wait waits for all requests, and returns the first error of theirs.
func (c *Comm) Wait(requests ...Request) error { return c.wrap("Wait", c.wait(requests...)) }

func (c *Comm) wait(requests ...Request) error {
	s := lists.Get().(*someLists)
	defer s.free()
	// One after another, since to look at all whenever one is done takes time with their square.
	for i := range requests {
		var err error
		if s.done, err = c.some(requests[i:i+1], true, s.done[:0]); err != nil {
			for n := 1; n > 0 && len(requests) > 1; n = len(s.done) { // gives back the memory of the others
				s.done, _ = c.some(requests, false, s.done[:0])
			}
			return err
		}
	}
	for i, r := range requests {
		if r == nil {
			continue
		}
		if _, err := r.Status(); err != nil {
			if len(requests) > 1 {
				err = fmt.Errorf("request %d: %w", i, err)
			}
			return err
		}
	}
	return nil
}
