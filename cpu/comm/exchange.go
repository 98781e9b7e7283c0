package comm

import "fmt"

// take receives a message of a collective, which fills b.
func (c *Comm) take(src, tag int, b []byte) error {
	if err := c.hearFirst(src); err != nil {
		return err
	}
	if !c.unsure {
		s, err := c.recv(src, tag, b)
		if err != nil {
			return err
		}
		return filled(s, len(b))
	}
	r, err := c.irecv(src, tag, b)
	if err != nil {
		return err
	}
	return c.taken(r, src, len(b))
}

// taken waits for a message of rank src, which was begun to be received and has n bytes.
func (c *Comm) taken(r Request, src, n int) error {
	if err := c.hearFirst(src); err != nil {
		return err
	}
	if err := c.await(r); err != nil {
		return err
	}
	s, err := r.Status()
	if err != nil {
		return err
	}
	return filled(s, n)
}

// atOnce is how long a message may be that every transport sends before its receive.
const atOnce = 1 << 10

// give sends a message of a collective.
func (c *Comm) give(dst, tag int, b []byte) error {
	if !c.unsure || len(b) <= atOnce {
		return c.send(dst, tag, b)
	}
	r, err := c.isend(dst, tag, b)
	if err != nil {
		return err
	}
	return c.await(r)
}

// filled is an error unless the message has the length that all ranks should know.
func filled(s Status, want int) error {
	if s.Bytes != want {
		return &lengthError{s.Source, s.Bytes, want}
	}
	return nil
}

// A lengthError is a message of another length than a rank expects.
type lengthError struct{ source, bytes, want int }

func (e *lengthError) Error() string {
	return fmt.Sprintf("rank %d sent %d bytes where %d were expected; the ranks give different lengths", e.source, e.bytes, e.want)
}

// An exchange is a set of messages that are on the way at once. Lengths are known to both
// sides. If they are to all ranks alike, which were compared, an empty one is not sent.
type exchange struct {
	c        *Comm
	tag      int
	sparse   bool // empty ones are not sent
	wait     func(requests ...Request) error
	requests []Request
	want     []int  // the length of each, -1 for a send
	self     []byte // what this rank receives from itself
	err      error
}

// from begins to receive b from rank src. All calls come before those of to.
func (x *exchange) from(src int, b []byte) {
	switch {
	case src == x.c.rank:
		x.self = b
	case x.err == nil && !(x.sparse && len(b) == 0):
		r, err := x.c.irecv(src, x.tag, b)
		x.add(r, len(b), err)
	}
}

// to begins to send b to rank dst.
func (x *exchange) to(dst int, b []byte) {
	switch {
	case x.err != nil:
	case dst == x.c.rank:
		if len(b) != len(x.self) {
			x.err = fmt.Errorf("this rank sends %d bytes to itself and receives %d", len(b), len(x.self))
		}
		copy(x.self, b)
	case !(x.sparse && len(b) == 0):
		r, err := x.c.isend(dst, x.tag, b)
		x.add(r, -1, err)
	}
}

func (x *exchange) add(r Request, want int, err error) {
	if err != nil {
		x.err = err
		return
	}
	x.requests = append(x.requests, r)
	x.want = append(x.want, want)
}

// finish waits for all of it.
func (x *exchange) finish() error {
	if x.err != nil {
		return x.err
	}
	if err := x.wait(x.requests...); err != nil {
		return err
	}
	for i, want := range x.want {
		if s, _ := x.requests[i].Status(); want >= 0 {
			if err := filled(s, want); err != nil {
				return err
			}
		}
	}
	return nil
}
