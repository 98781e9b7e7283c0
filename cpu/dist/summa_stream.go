package dist

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A summaStream is the panels of one operand as they come by: each rank of a ring has
// some, and all of them use all of them, in the order of k.
//
// A panel takes a slot from when its receive is begun until it was multiplied by and has
// been handed on. A rank waits for panel s only after it is done with all that come before
// it, so whoever waits for the lowest panel waits for one who does not wait for it.
type summaStream[T dtype.Float] struct {
	ring
	c        *comm.Comm
	tag      int
	from, to int // the ranks to the left and right
	owner    []int
	panel    []Block // of each step, within the part of its owner
	mine     layout.Matrix[T]
	slots    [][]T
	in, out  []comm.Request // by slot
	arrived  []bool         // by slot
	// Panels below have been begun, handed on, and multiplied by.
	begun, handed, used int
}

// newStream makes the stream of so many slots for panels of these sizes.
func newStream[T dtype.Float](c *comm.Comm, tag int, r ring, from, to int, owner []int, panel []Block, depth int) *summaStream[T] {
	s := &summaStream[T]{ring: r, c: c, tag: tag, from: from, to: to, owner: owner, panel: panel}
	depth = max(1, min(depth, len(owner)))
	s.in, s.out = make([]comm.Request, depth), make([]comm.Request, depth)
	s.slots, s.arrived = make([][]T, depth), make([]bool, depth)
	if r.size > 1 {
		most := 0
		for _, b := range panel {
			most = max(most, b.Rows.Len()*b.Cols.Len())
		}
		for i := range s.slots {
			s.slots[i] = make([]T, most)
		}
	}
	return s
}

// start begins a product with the part of the operand that is here.
func (s *summaStream[T]) start(mine layout.Matrix[T]) {
	s.mine, s.begun, s.handed, s.used = mine, 0, 0, 0
	clear(s.arrived)
}

// view returns a panel of this rank's own.
func (s *summaStream[T]) view(step int) layout.Matrix[T] {
	b := s.panel[step]
	return s.mine.Slice(b.Rows.Lo, b.Rows.Hi, b.Cols.Lo, b.Cols.Hi)
}

// operand returns the panel of a step, which has arrived.
func (s *summaStream[T]) operand(step int) layout.Matrix[T] {
	if s.owner[step] == s.me {
		return s.view(step)
	}
	b := s.panel[step]
	return layout.RowMajor(s.slots[step%len(s.slots)], b.Rows.Len(), b.Cols.Len())
}

// elems is how many elements the panel of a step has here.
func (s *summaStream[T]) elems(step int) int {
	return s.panel[step].Rows.Len() * s.panel[step].Cols.Len()
}

// advance begins to receive as many of the next panels as there are slots, and hands on
// those that are here: in their order, because the rank to the right receives them so.
func (s *summaStream[T]) advance() error {
	for {
		switch slot := s.begun % len(s.slots); {
		case s.handed < s.begun && s.arrived[s.handed%len(s.slots)]:
			if err := s.hand(s.handed); err != nil {
				return err
			}
			s.handed++
		case s.begun < len(s.owner) && s.begun < min(s.used, s.handed)+len(s.slots) && s.out[slot] == nil:
			n := s.elems(s.begun)
			s.arrived[slot] = n == 0 || s.owner[s.begun] == s.me
			if !s.arrived[slot] {
				r, err := comm.Irecv(s.c, s.from, s.tag, s.slots[slot][:n])
				if err != nil {
					return err
				}
				s.in[slot] = r
			}
			s.begun++
		default:
			return nil
		}
	}
}

// hand sends the panel of a step to the right, unless it is at home there.
func (s *summaStream[T]) hand(step int) error {
	n, slot := s.elems(step), step%len(s.slots)
	if n == 0 || !s.sends(s.owner[step]) {
		return nil
	}
	x := s.slots[slot][:n]
	if s.owner[step] == s.me {
		x = summaPack(x, s.view(step))
	}
	r, err := comm.Isend(s.c, s.to, s.tag, x)
	s.out[slot] = r
	return err
}

// received takes note of the panel that came into a slot.
func (s *summaStream[T]) received(slot int) error {
	status, err := s.in[slot].Status()
	s.in[slot] = nil
	if err != nil {
		return err
	}
	step := s.handed
	for step%len(s.slots) != slot {
		step++
	}
	if have, whole := comm.Len[T](status); have != s.elems(step) || !whole {
		return fmt.Errorf("rank %d sent %d bytes as panel %d of %s; want %d elements (%v)",
			status.Source, status.Bytes, step, summaName(s.tag), s.elems(step), s.panel[step])
	}
	s.arrived[slot] = true
	return nil
}

// sent frees a slot.
func (s *summaStream[T]) sent(slot int) error {
	_, err := s.out[slot].Status()
	s.out[slot] = nil
	return err
}

// ready reports whether the panel of a step is here.
func (s *summaStream[T]) ready(step int) bool {
	return step < s.begun && s.arrived[step%len(s.slots)]
}

// done says that the panel of the next step was multiplied by.
func (s *summaStream[T]) done() { s.used++ }

// summaPack returns the elements of x row by row: x's own memory if they lie so, else a
// copy in buf.
func summaPack[T dtype.Float](buf []T, x layout.Matrix[T]) []T {
	n := x.Rows * x.Cols
	if (x.ColStride == 1 || x.Cols == 1) && (x.RowStride == x.Cols || x.Rows == 1) {
		return x.Data[:n]
	}
	buf = buf[:n]
	summaCopy(layout.RowMajor(buf, x.Rows, x.Cols), x)
	return buf
}

// summaCopy copies x to out, which is as large.
func summaCopy[T dtype.Float](out, x layout.Matrix[T]) {
	if x.Cols == 0 {
		return
	}
	for i := range x.Rows {
		if x.ColStride == 1 && out.ColStride == 1 {
			copy(out.Data[i*out.RowStride:][:x.Cols], x.Data[i*x.RowStride:][:x.Cols])
			continue
		}
		for j := range x.Cols {
			out.Data[i*out.RowStride+j*out.ColStride] = x.Data[i*x.RowStride+j*x.ColStride]
		}
	}
}

// pending reports whether anything is still to be sent or received.
func (s *summaStream[T]) pending() bool {
	if s.handed < len(s.owner) {
		return true
	}
	for i := range s.in {
		if s.in[i] != nil || s.out[i] != nil {
			return true
		}
	}
	return false
}
