package reshard

import (
	"slices"

	"github.com/tilesmith/tilesmith/layout/mesh"
)

// A step is what one rank does in a step of a plan.
type step struct {
	op           mesh.Op
	offset       []int // of a slice: where the new tile lies in the old one
	shape        []int // of the new tile
	elements     int   // of the new tile
	sends, takes []mesh.Piece
	own          []mesh.Piece // what stays, one or none
}

func newStep(s mesh.Step, rank int) step {
	r := step{op: s.Op, shape: s.After.Local(rank), elements: 1}
	for _, n := range r.shape {
		r.elements *= n
	}
	if s.Op == mesh.Slice {
		r.offset = s.After.Offset(rank)
		for i, at := range s.Before.Offset(rank) {
			r.offset[i] -= at
		}
		return r
	}
	x := s.Exchange()
	for _, p := range x.Sends(rank) {
		if p.Dst != rank {
			r.sends = append(r.sends, p)
		}
	}
	// Ranks begin with those after them, so that they do not all send to one at once. Pieces
	// of the same elements stay together: they are packed once.
	for k, p := range r.sends {
		if p.Dst > rank && (k == 0 || !same(p, r.sends[k-1])) {
			r.sends = slices.Concat(r.sends[k:], r.sends[:k])
			break
		}
	}
	for _, p := range x.Receives(rank) {
		if p.Src != rank {
			r.takes = append(r.takes, p)
		} else {
			r.own = append(r.own, p)
		}
	}
	return r
}

// exchange does one step. It receives and sends everything at once. It does so in place
// where data lies as in a message, and otherwise packs and unpacks.
func (r *Executor[T]) exchange(s *step, out, in tile[T]) error {
	f := &r.flight
	f.Begin(r.c)
	total := 0
	for _, p := range s.takes {
		if _, whole := out.dense(p.Runs, dst); !whole {
			total += int(p.Elements())
		}
	}
	landed := grow(&r.landed, total)
	from := make([][]T, len(s.takes)) // where a piece is unpacked from; nil if it came to its place
	for i, p := range s.takes {
		to, whole := out.dense(p.Runs, dst)
		if !whole {
			n := int(p.Elements())
			to, landed = landed[:n:n], landed[n:]
			from[i] = to
		}
		if err := f.Receive(i, p.Src, Tag, to); err != nil {
			return err
		}
	}
	// The packed pieces together have no more elements than the tile, as different pieces have
	// none in common.
	total = 0
	for i, p := range s.sends {
		if _, whole := in.dense(p.Runs, src); !whole && (i == 0 || !same(p, s.sends[i-1])) {
			total += int(p.Elements())
		}
	}
	space := grow(&r.packed, total)
	var packed []T
	for i, p := range s.sends {
		data, whole := in.dense(p.Runs, src)
		if !whole {
			if i == 0 || !same(p, s.sends[i-1]) {
				n := int(p.Elements())
				packed, space = space[:n:n], space[n:]
				move(piece(packed, p.Runs), in, repack(p.Runs, src, true))
			}
			data = packed
		}
		if err := f.Send(-1, p.Dst, Tag, data); err != nil {
			return err
		}
	}
	for _, p := range s.own {
		move(out, in, p.Runs)
	}
	for f.Len() > 0 {
		done, err := f.Poll(true)
		if err != nil {
			return err
		}
		for _, i := range done {
			if i >= 0 && from[i] != nil {
				runs := s.takes[i].Runs
				move(out, piece(from[i], runs), repack(runs, dst, false))
			}
		}
	}
	return nil
}

// same reports whether two pieces are the same elements of this rank's tile.
func same(p, q mesh.Piece) bool {
	return len(p.Runs) == len(q.Runs) && slices.EqualFunc(p.Runs, q.Runs, func(a, b []mesh.Run) bool {
		return slices.EqualFunc(a, b, func(a, b mesh.Run) bool { return a.Src == b.Src && a.N == b.N })
	})
}
