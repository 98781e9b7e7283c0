package wire

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// An Exchange is rows that come in and rows that go out, the same time after time.
type Exchange[T dtype.Float] struct {
	Tag     int
	Width   int // elements of a row
	In, Out []Message[T]
	Arrived []bool // by number in In

	flight Flight[T]
}

// A Message is rows that go to or come from a rank.
type Message[T dtype.Float] struct {
	Rank int
	Data []T
	Rows []int32 // to be copied into Data first, ^r for row r of sums; nil: Data is where they are
}

// Start begins to receive everything.
func (x *Exchange[T]) Start(c *comm.Comm) error {
	x.flight.Begin(c)
	x.Arrived = slices.Grow(x.Arrived[:0], len(x.In))[:len(x.In)]
	clear(x.Arrived)
	for i, m := range x.In {
		if err := x.flight.Receive(i, m.Rank, x.Tag, m.Data); err != nil {
			return x.wrap(err)
		}
	}
	return nil
}

// Send begins to send message i, whose rows are of own or of sums.
func (x *Exchange[T]) Send(i int, own, sums []T) error {
	m, w := &x.Out[i], x.Width
	for k, r := range m.Rows {
		rows := own
		if r < 0 {
			rows, r = sums, ^r
		}
		copy(m.Data[k*w:(k+1)*w], rows[int(r)*w:])
	}
	return x.wrap(x.flight.Send(-1, m.Rank, x.Tag, m.Data))
}

// Poll notes what has arrived, and gives the transport the time to do more. With wait, it waits
// for something.
func (x *Exchange[T]) Poll(wait bool) error {
	keys, err := x.flight.Poll(wait)
	if err != nil {
		x.flight.Drain()
		return x.wrap(err)
	}
	for _, i := range keys {
		if i >= 0 {
			x.Arrived[i] = true
		}
	}
	return nil
}

// Finish waits for all that is left.
func (x *Exchange[T]) Finish() error {
	for x.flight.Len() > 0 {
		if err := x.Poll(true); err != nil {
			return err
		}
	}
	return nil
}

// Refuse ends an exchange that cannot be done, so that nobody waits for this rank: it takes
// what others send, and sends empty messages in place of all.
func (x *Exchange[T]) Refuse(c *comm.Comm) {
	if x.Start(c) == nil {
		x.RefuseFrom(0)
		x.flight.Drain()
	}
}

// RefuseFrom sends nothing in place of the messages from this one on.
func (x *Exchange[T]) RefuseFrom(first int) {
	for _, m := range x.Out[first:] {
		x.flight.Refuse(m.Rank, x.Tag)
	}
}

func (x *Exchange[T]) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("rank %d: %w", x.flight.C.Rank(), err)
}

// Rotate puts messages to ranks after this one before those to lower ones. They ascend. If all
// began with rank 0, it would be the last to have everything.
func Rotate[T dtype.Float](list []Message[T], rank int) {
	first, _ := slices.BinarySearchFunc(list, rank, func(x Message[T], rank int) int { return x.Rank - rank })
	copy(list, slices.Concat(list[first:], list[:first]))
}
