package dense

import (
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// axpyChunk computes columns from to to of the product, or of its transpose if the
// small side is n. It multiplies the small operand by the big one, whose rows are
// contiguous.
func (j *part) axpyChunk(w *worker, from, to int) {
	s, kern, args := &j.plan.skinny, j.kern, &w.args
	tiles := kern.Of(kernel.Axpy)
	big := j.b
	if s.columns {
		big = mem.Operand{P: j.a.P, RS: j.a.CS, CS: j.a.RS}
	}
	c, direct := j.sumsOf(w, 0, from, s.small, to-from, !s.columns)
	args.LdB, args.LdC = int64(big.RS), int64(c.RS)
	for k := 0; k < j.k; k += s.kc {
		args.K = int64(min(s.kc, j.k-k))
		j.begin(args, k, direct)
		next := big.At(k, from) // the block after this one; the last fetches itself
		switch {
		case k+s.kc < j.k:
			next = big.At(k+s.kc, from)
		case to < s.long:
			next = big.At(0, to)
		}
		for g := range s.groups.Count {
			row := s.groups.At(g)
			rows := s.groups.At(g+1) - row
			a := j.side(w, mem.Operand{P: j.little.At(row, k), RS: j.little.RS, CS: j.little.CS}, rows, int(args.K))
			args.A, args.RsA, args.CsA = a.P, int64(a.RS), int64(a.CS)
			tile := &tiles[rows-1]
			width := tile.NV * kern.VL
			col := from
			if n := (to - from) / width; n > 0 {
				args.B, args.C, args.Tiles = big.At(k, col), c.At(row, 0), int64(n)
				args.Fetch, args.LdF, args.Span = next, int64(big.RS), int64(mem.Ceil(to-from, width))
				tile.F(args)
				col += n * width
			}
			next = big.At(k, from)
			args.Tiles = 1
			for col < to {
				cols := min(to-col, kern.NV*kern.VL)
				args.B, args.C = big.At(k, col), c.At(row, col-from)
				tileOf(args, kern.Table, rows, cols, false)(args)
				col += cols
			}
		}
	}
	switch {
	case direct:
	case s.columns:
		j.finishChunk(w, mem.Operand{P: c.P, RS: c.CS, CS: c.RS}, from, 0, to-from, s.small)
	default:
		j.finishChunk(w, c, 0, from, s.small, to-from)
	}
}

// side returns rows x k of the small operand with the elements of one k side by side, as
// they lie or copied.
func (j *part) side(w *worker, a mem.Operand, rows, k int) mem.Operand {
	if a.RS == j.size {
		return a
	}
	vl := j.kern.VL
	ld := mem.Ceil(rows, vl) * vl * j.size
	w.abuf.Grow(k * ld)
	to := mem.Operand{P: w.abuf.P, RS: j.size, CS: ld}
	if a.CS != j.size {
		for i := range k {
			gatherRow(to.At(0, i), a.At(0, i), rows, a.RS, j.size, j.ta)
		}
		return to
	}
	args := &w.pack
	args.K = int64(k)
	mem.Columns(packersA(j.kern).One(kernel.Columns), args, vl, j.size, a.P, a.RS, to.P, ld, rows)
	args.B, args.C = nil, nil
	return to
}
