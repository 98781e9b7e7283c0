package comm

import "fmt"

// recvAll receives a message that fills b.
func (c *Comm) recvAll(src, tag int, b []byte) error {
	s, err := c.recv(src, tag, b)
	if err != nil {
		return err
	}
	return filled(s, len(b))
}

// filled is an error unless the message has the length that all ranks should know.
func filled(s Status, want int) error {
	if s.Bytes != want {
		return fmt.Errorf("rank %d sent %d bytes where %d were expected; the ranks give different lengths", s.Source, s.Bytes, want)
	}
	return nil
}

// An exchange is a set of messages that are on the way at once. Lengths are known to both
// sides, so that an empty one is not sent.
type exchange struct {
	c        *Comm
	what     string
	tag      int
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
	case len(b) > 0 && x.err == nil:
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
	case len(b) > 0:
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

// wait waits for all of it.
func (x *exchange) wait() error {
	if x.err != nil {
		return x.c.wrap(x.what, x.err)
	}
	if err := x.c.wait(x.requests...); err != nil {
		return x.c.wrap(x.what, err)
	}
	for i, want := range x.want {
		if s, _ := x.requests[i].Status(); want >= 0 {
			if err := filled(s, want); err != nil {
				return x.c.wrap(x.what, err)
			}
		}
	}
	return nil
}
