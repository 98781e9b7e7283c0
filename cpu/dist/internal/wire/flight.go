// Package wire brings elements from rank to rank, for all distributed products: messages under
// way (Flight), rows that go the same way time after time (Exchange), and messages nobody
// knows of beforehand (Swap).
package wire

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// A Flight is messages under way. Its memory serves again when they are done.
type Flight[T comm.Fixed] struct {
	C        *comm.Comm // see Begin
	requests []comm.Request
	tickets  []ticket
	done     []int
	keys     []int
}

// A ticket says what a request is of.
type ticket struct{ key, peer, elems int } // elems is -1 for what is sent

// Begin makes the flight one of c, without what an earlier one that failed left.
func (f *Flight[T]) Begin(c *comm.Comm) {
	clear(f.requests)
	f.C, f.requests, f.tickets = c, f.requests[:0], f.tickets[:0]
}

// Receive begins to receive x from a rank. Poll calls it by key. An empty x is not received.
func (f *Flight[T]) Receive(key, from, tag int, x []T) error {
	if len(x) == 0 {
		return nil
	}
	r, err := comm.Irecv(f.C, from, tag, x)
	return f.add(r, err, ticket{key, from, len(x)})
}

// Send begins to send x to a rank. Poll calls it by key. An empty x is not sent.
func (f *Flight[T]) Send(key, to, tag int, x []T) error {
	if len(x) == 0 {
		return nil
	}
	return f.send(key, to, tag, x)
}

// Refuse sends an empty message, so that a rank that waits for another gets an error.
func (f *Flight[T]) Refuse(to, tag int) error { return f.send(-1, to, tag, nil) }

func (f *Flight[T]) send(key, to, tag int, x []T) error {
	r, err := comm.Isend(f.C, to, tag, x)
	return f.add(r, err, ticket{key, to, -1})
}

func (f *Flight[T]) add(r comm.Request, err error, t ticket) error {
	if err != nil {
		return t.wrap(err)
	}
	f.requests, f.tickets = append(f.requests, r), append(f.tickets, t)
	return nil
}

func (t ticket) wrap(err error) error {
	if t.elems < 0 {
		return fmt.Errorf("sending to rank %d: %w", t.peer, err)
	}
	return fmt.Errorf("receiving from rank %d: %w", t.peer, err)
}

// Len returns how many messages are under way.
func (f *Flight[T]) Len() int { return len(f.requests) }

// Poll returns the keys of messages that are done since the last call, and gives the transport
// the time to do more. With wait, it waits for one if there are any. The next call overwrites
// the keys. An error is of the first message that failed or has the wrong length.
func (f *Flight[T]) Poll(wait bool) (keys []int, err error) {
	if len(f.requests) == 0 {
		return nil, nil
	}
	f.done, err = f.C.Some(f.requests, wait, f.done[:0])
	return f.settle(err)
}

// Await is Poll that waits for the last message with a key instead of any. To wait for any,
// one after another, takes time with the square of their number.
func (f *Flight[T]) Await(key int) (keys []int, err error) {
	if len(f.requests) == 0 {
		return nil, nil
	}
	if f.done, err = f.C.Some(f.requests, false, f.done[:0]); err != nil || len(f.done) > 0 {
		return f.settle(err)
	}
	k := len(f.requests) - 1
	for k > 0 && f.tickets[k].key != key {
		k--
	}
	if _, err = f.C.Some(f.requests[k:k+1], true, nil); err == nil {
		f.done, err = f.C.Some(f.requests, false, append(f.done, k))
	} else {
		f.C.Some(f.requests, false, nil) // gives back the memory of the others
	}
	return f.settle(err)
}

// settle takes what is done out of the lists, which may be some of it though the call failed.
func (f *Flight[T]) settle(failed error) (keys []int, err error) {
	f.keys = f.keys[:0]
	for _, i := range f.done {
		t := f.tickets[i]
		if err := f.check(t, f.requests[i]); err != nil && failed == nil {
			failed = err
		}
		f.keys = append(f.keys, t.key)
		f.requests[i] = nil
	}
	n := 0
	for i, r := range f.requests {
		if r != nil {
			f.requests[n], f.tickets[n] = r, f.tickets[i]
			n++
		}
	}
	clear(f.requests[n:])
	f.requests, f.tickets = f.requests[:n], f.tickets[:n]
	return f.keys, failed
}

// check says what is wrong with a request of a ticket that is done.
func (f *Flight[T]) check(t ticket, r comm.Request) error {
	s, err := r.Status()
	n, whole := comm.Len[T](s)
	switch {
	case err != nil:
		return t.wrap(err)
	case t.elems < 0 || n == t.elems && whole:
		return nil
	case s.Bytes == 0:
		return fmt.Errorf("rank %d sent 0 bytes where %d elements were due; it refused its call", t.peer, t.elems)
	}
	return fmt.Errorf("rank %d sent %d bytes where %d elements were due", t.peer, s.Bytes, t.elems)
}

// Wait returns when all is done, or nothing is on its way any more after a failure.
func (f *Flight[T]) Wait() error {
	for len(f.requests) > 0 {
		if _, err := f.Poll(true); err != nil {
			f.Drain()
			return err
		}
	}
	return nil
}

// Drain waits for all that is left after a failure. Nothing of it may be on its way when the
// memory is used again, or when the group is closed.
func (f *Flight[T]) Drain() {
	for n := len(f.requests) + 1; len(f.requests) < n; {
		n = len(f.requests)
		f.Poll(true)
	}
}
