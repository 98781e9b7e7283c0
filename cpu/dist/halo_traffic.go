package dist

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// traffic is the messages of an exchange of rows: those that come in and those that go out,
// and which of them are done.
type traffic[T dtype.Float] struct {
	c       *comm.Comm
	tag     int
	width   int // elements of a row
	in, out []rowMessage[T]

	requests []comm.Request // of in, then of out
	done     []int
	arrived  []bool
	left     int // requests that are not done
}

// rowMessage is rows that go to or come from a rank.
type rowMessage[T dtype.Float] struct {
	rank int
	data []T
	rows []int32 // to be copied into data first; nil: data is where they are
}

// ready makes what an exchange needs, once messages are known.
func (t *traffic[T]) ready() {
	t.requests = make([]comm.Request, len(t.in)+len(t.out))
	t.done = make([]int, 0, len(t.requests))
	t.arrived = make([]bool, len(t.in))
}

// receive begins to receive everything.
func (t *traffic[T]) receive() error {
	clear(t.requests)
	clear(t.arrived)
	t.left = len(t.requests)
	for i := range t.in {
		r, err := comm.Irecv(t.c, t.in[i].rank, t.tag, t.in[i].data)
		if err != nil {
			return fmt.Errorf("rank %d: receiving from rank %d: %w", t.c.Rank(), t.in[i].rank, err)
		}
		t.requests[i] = r
	}
	return nil
}

// send begins to send message i.
func (t *traffic[T]) send(i int) error {
	r, err := comm.Isend(t.c, t.out[i].rank, t.tag, t.out[i].data)
	if err != nil {
		return fmt.Errorf("rank %d: sending to rank %d: %w", t.c.Rank(), t.out[i].rank, err)
	}
	t.requests[len(t.in)+i] = r
	return nil
}

// progress notes what is done, and gives the transport the time to do more. With wait, it
// waits for something.
func (t *traffic[T]) progress(wait bool) error {
	if t.left == 0 {
		return nil
	}
	var err error
	t.done, err = t.c.Some(t.requests, wait, t.done[:0])
	if err != nil {
		return err
	}
	var failed error
	for _, i := range t.done {
		t.left--
		if err := t.check(i); err != nil && failed == nil {
			failed = err
		}
	}
	if failed != nil {
		t.drain()
	}
	return failed
}

// check is what came of a request that is done.
func (t *traffic[T]) check(i int) error {
	status, err := t.requests[i].Status()
	if i >= len(t.in) {
		if err != nil {
			return fmt.Errorf("rank %d: sending to rank %d: %w", t.c.Rank(), t.out[i-len(t.in)].rank, err)
		}
		return nil
	}
	x := &t.in[i]
	if err != nil {
		return fmt.Errorf("rank %d: receiving from rank %d: %w", t.c.Rank(), x.rank, err)
	}
	if want := len(x.data) * dtype.Of[T]().Size(); status.Bytes != want {
		return fmt.Errorf("rank %d: rank %d sent %d bytes of %d rows where %d were due; it refused its call", t.c.Rank(), x.rank, status.Bytes, len(x.data)/t.width, want)
	}
	t.arrived[i] = true
	return nil
}

// drain waits for all that is left of an exchange that failed. Nothing of it may be on its
// way when the next one begins, or when the group is closed.
func (t *traffic[T]) drain() {
	for t.left > 0 {
		var err error
		if t.done, err = t.c.Some(t.requests, true, t.done[:0]); err != nil && len(t.done) == 0 {
			return
		}
		t.left -= len(t.done)
	}
}

// finish waits for all that is left.
func (t *traffic[T]) finish() error {
	for t.left > 0 {
		if err := t.progress(true); err != nil {
			return err
		}
	}
	return nil
}

// refuse ends an exchange that cannot be done, so that nobody waits for this rank: it sends
// empty messages, and takes what others send.
func (t *traffic[T]) refuse() {
	if t.receive() == nil {
		t.sendEmpty(0)
		t.drain()
	}
}

// sendEmpty sends nothing in place of all messages from the first on.
func (t *traffic[T]) sendEmpty(first int) {
	for i := first; i < len(t.out); i++ {
		if r, err := comm.Isend[T](t.c, t.out[i].rank, t.tag, nil); err == nil {
			t.requests[len(t.in)+i] = r
		} else {
			t.left--
		}
	}
}

// pack copies rows of from into message i, as its rows say.
func (x *rowMessage[T]) pack(from, sums []T, width int) {
	for k, r := range x.rows {
		rows := from
		if r < 0 {
			rows, r = sums, ^r
		}
		copy(x.data[k*width:(k+1)*width], rows[int(r)*width:])
	}
}
