package summa

import (
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/local"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/wire"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A stream is the panels of one operand as they come by. Each rank of a ring has
// some panels, and all ranks use all of them, in the order of k.
//
// A panel takes a slot from when its receive is begun until it was multiplied by and has
// been handed on. A rank waits for panel s only after it is done with all that come before
// it. So the rank that waits for the lowest panel waits for one that does not wait for it.
type stream[T dtype.Float] struct {
	ring
	flight   *wire.Flight[T] // of all streams of a product
	tag      int
	from, to int  // the ranks to the left and right
	columns  bool // panels are columns of the operand, a; else rows of it, b
	across   int  // how many rows or columns a panel has in the other direction
	panels   []panel

	mine     layout.Matrix[T]
	slots    [][]T
	arrived  []bool // by slot
	leaving  []bool // by slot: it is being handed on
	together layout.Matrix[T]
	// Panels below have been begun, handed on, and multiplied by.
	begun, handed, used int
}

// A panel is a part of k: who has it, and where in what it has.
type panel struct {
	k     dist.Span
	owner int // place in the ring
	at    int
}

// prepare makes so many slots, and room for the widest of the groups that are put together.
func (s *stream[T]) prepare(slots int, groups []dist.Span) {
	slots = max(1, slots)
	s.slots, s.arrived, s.leaving = make([][]T, slots), make([]bool, slots), make([]bool, slots)
	if s.size == 1 {
		return
	}
	widest, joined := 0, 0
	for i := range s.panels {
		widest = max(widest, s.elems(i))
	}
	for i := range s.slots {
		s.slots[i] = make([]T, widest)
	}
	for _, g := range groups {
		if g.Len() > 1 {
			joined = max(joined, s.along(g).Len()*s.across)
		}
	}
	s.together.Data = make([]T, joined)
}

// start begins a product with the part of the operand that is here.
func (s *stream[T]) start(mine layout.Matrix[T]) {
	s.mine, s.begun, s.handed, s.used = mine, 0, 0, 0
	clear(s.arrived)
	clear(s.leaving)
}

// along returns the part of k of some panels.
func (s *stream[T]) along(g dist.Span) dist.Span {
	if g.Len() == 0 {
		return dist.Span{}
	}
	return dist.Span{Lo: s.panels[g.Lo].k.Lo, Hi: s.panels[g.Hi-1].k.Hi}
}

// part returns some columns or rows of x.
func (s *stream[T]) part(x layout.Matrix[T], at, n int) layout.Matrix[T] {
	if s.columns {
		return x.Slice(0, s.across, at, at+n)
	}
	return x.Slice(at, at+n, 0, s.across)
}

// shaped returns memory as the panels of so much of k.
func (s *stream[T]) shaped(x []T, n int) layout.Matrix[T] {
	if s.columns {
		return layout.RowMajor(x, s.across, n)
	}
	return layout.RowMajor(x, n, s.across)
}

// elems is how many elements a panel has here.
func (s *stream[T]) elems(i int) int { return s.panels[i].k.Len() * s.across }

// panel returns a panel that is here.
func (s *stream[T]) panel(i int) layout.Matrix[T] {
	p := s.panels[i]
	if p.owner == s.me {
		return s.part(s.mine, p.at, p.k.Len())
	}
	return s.shaped(s.slots[i%len(s.slots)], p.k.Len())
}

// keep puts panel i of g, which is here, next to the others and frees its slot. If no
// other rank has a part of an operand, there is nothing to put together.
func (s *stream[T]) keep(g dist.Span, i int) {
	if g.Len() == 1 {
		return
	}
	defer func() { s.used = i + 1 }()
	if s.size == 1 {
		return
	}
	all := s.along(g)
	if i == g.Lo {
		if n := all.Len() * s.across; cap(s.together.Data) < n { // a Kernel wants all of k
			s.together.Data = make([]T, n)
		}
		s.together = s.shaped(s.together.Data[:cap(s.together.Data)], all.Len())
	}
	k := s.panels[i].k
	local.Copy(s.part(s.together, k.Lo-all.Lo, k.Len()), s.panel(i))
}

// operand returns the panels of g, which are here or were kept.
func (s *stream[T]) operand(g dist.Span) layout.Matrix[T] {
	switch {
	case g.Len() == 0:
		return s.shaped(nil, 0)
	case g.Len() == 1:
		return s.panel(g.Lo)
	case s.size == 1:
		return s.part(s.mine, s.panels[g.Lo].at, s.along(g).Len())
	}
	return s.together
}

// advance begins to receive as many of the next panels as there are slots. It hands on
// those that are here in their order, because the rank to the right receives them so.
func (s *stream[T]) advance() error {
	for {
		switch slot := s.begun % len(s.slots); {
		case s.handed < s.begun && s.arrived[s.handed%len(s.slots)]:
			if err := s.hand(s.handed); err != nil {
				return err
			}
			s.handed++
		case s.begun < len(s.panels) && s.begun < min(s.used, s.handed)+len(s.slots) && !s.leaving[slot]:
			n := s.elems(s.begun)
			s.arrived[slot] = n == 0 || s.panels[s.begun].owner == s.me
			if !s.arrived[slot] {
				if err := s.flight.Receive(s.key(slot, false), s.from, s.tag, s.slots[slot][:n]); err != nil {
					return err
				}
			}
			s.begun++
		default:
			return nil
		}
	}
}

// hand sends panel i to the right, unless it is at home there.
func (s *stream[T]) hand(i int) error {
	n, slot := s.elems(i), i%len(s.slots)
	if n == 0 || !s.sends(s.panels[i].owner) {
		return nil
	}
	x := s.slots[slot][:n]
	if s.panels[i].owner == s.me {
		x = pack(x, s.panel(i))
	}
	s.leaving[slot] = true
	return s.flight.Send(s.key(slot, true), s.to, s.tag, x)
}

// key is how messages of a stream are told apart, and over takes note of one that is over.
func (s *stream[T]) key(slot int, leaves bool) int {
	if leaves {
		slot = ^slot
	}
	return 2*slot + s.tag
}

func (s *stream[T]) over(key int) {
	if slot := key >> 1; slot < 0 {
		s.leaving[^slot] = false
	} else {
		s.arrived[slot] = true
	}
}

// ready reports whether panel i is here.
func (s *stream[T]) ready(i int) bool {
	return i < s.begun && s.arrived[i%len(s.slots)]
}

// pack returns the elements of x row by row: x's own memory if they lie so, else a
// copy in buf.
func pack[T dtype.Float](buf []T, x layout.Matrix[T]) []T {
	n := x.Rows * x.Cols
	if (x.ColStride == 1 || x.Cols == 1) && (x.RowStride == x.Cols || x.Rows == 1) {
		return x.Data[:n]
	}
	buf = buf[:n]
	local.Copy(layout.RowMajor(buf, x.Rows, x.Cols), x)
	return buf
}
