package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/plain"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/triangle"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Structure says which elements there are of the operands and of the result of a product.
// Without an epilogue either Out or a symmetric a is less than all.
type Structure = triangle.Structure

// checkStructure panics if a matrix is not square that has to be, or types are none of those that
// structured products have. Types are those of a, b and the result, which is m x n.
func checkStructure(s Structure, name string, acc dtype.Type, types [3]dtype.Type, m, n int, a layout.View) {
	if s == (Structure{}) {
		return
	}
	if s.Symmetric && s.A == 0 || s.Hermitian && (!s.Symmetric || !acc.Complex()) {
		check.Call(name).RefuseOption("Call.Structure is Symmetric with a triangle A, and Hermitian with a symmetric a of complex numbers; leave them unset else")
	}
	if types != [3]dtype.Type{acc, acc, acc} || acc == dtype.I32 {
		check.Call(name).Refuse("structured products have one type throughout, float32, float64 or a complex one, this one is of %v and %v with sums of %v and a result of %v", types[0], types[1], acc, types[2])
	}
	for _, x := range []struct {
		t          Triangle
		what       string
		rows, cols int
	}{{s.A, "a", m, a.Cols}, {s.B, "b", a.Cols, n}, {s.Out, "out", m, n}} {
		if x.t != 0 {
			checkTriangle(name, x.what, x.t, x.rows, x.cols, !s.Symmetric && x.what == "a")
		}
	}
}

// copyTriangular is copyA for a triangular a: nothing outside the triangle is read, and
// nothing is there in the copy. A unit triangle gets its ones.
func (j *part) copyTriangular(w *worker, row, rows, first, k int) mem.Operand {
	ld := j.copiedRow(k)
	w.abuf.Grow(rows * ld)
	out := mem.Operand{P: w.abuf.P, RS: ld, CS: j.size}
	for i := range rows {
		e := existing(j.at, row+i, j.k)
		from, to := max(e.From, first), min(e.To, first+k)
		if from < to {
			gatherRow(out.At(i, from-first), j.a.At(row+i, from), to-from, j.a.CS, j.size, j.ta)
		}
		if d := row + i; j.at.IsUnit() && d >= first && d < first+k {
			if j.size == 4 {
				*(*float32)(out.At(i, d-first)) = 1
			} else {
				*(*float64)(out.At(i, d-first)) = 1
			}
		}
	}
	return out
}

// triangular is tiles for a triangular a. a is the part from row i0 and column k0 on, kc columns
// of it. A tile is as deep as all of its rows are, and the rest is added row by row. Sums begin
// as zeros.
func (j *part) triangular(w *worker, a, c mem.Operand, i0 int, tiles mem.Extent, cols, k0, kc int) {
	args := &w.args
	b := args.B
	add := func(r0, rows int, e mem.Extent) {
		from, to := max(e.From, k0), min(e.To, k0+kc)
		if from >= to {
			return
		}
		args.A, args.B, args.C = a.At(r0-i0, from-k0), unsafe.Add(b, (from-k0)*int(args.LdB)), c.At(r0-i0, 0)
		args.K, args.Tiles, args.LdC, args.Mode = int64(to-from), 1, int64(c.RS), kernel.ModeUpdate
		tileOf(args, j.kern.Table, rows, cols, false)(args)
	}
	for t := tiles.From; t < tiles.To; t++ {
		r0, r1 := j.plan.rows.At(t), j.plan.rows.At(t+1)
		if j.at.IsLower() {
			add(r0, r1-r0, mem.Extent{From: 0, To: r0 + 1})
			for r := r0 + 1; r < r1; r++ {
				add(r, 1, mem.Extent{From: r0 + 1, To: r + 1})
			}
		} else {
			add(r0, r1-r0, mem.Extent{From: r1 - 1, To: j.k})
			for r := r0; r < r1-1; r++ {
				add(r, 1, mem.Extent{From: r, To: r1 - 1})
			}
		}
	}
	args.B = b
}

// finishExisting runs the epilogue on the part of rows i.. and columns col.. of sums that
// is in the triangle: on whole rectangles where there are some, else a row at a time.
func finishExisting(f *epi.Fusion, c *epi.Call, t Triangle, sums mem.Operand, i, col, rows, cols, panel int) {
	switch has(t, i, i+rows, col, col+cols) {
	case all:
		f.Run(c, sums, i, col, rows, cols, panel, 0)
	case some:
		for r := range rows {
			e := existing(t, i+r, col+cols)
			if from, to := max(e.From, col), min(e.To, col+cols); from < to {
				f.Run(c, mem.Operand{P: sums.At(r, from-col), RS: sums.RS, CS: sums.CS}, i+r, from, 1, to-from, panel, 0)
			}
		}
	}
}

// structured sums rows i.. of a structured product in plain Go.
func (p *fusedPart[Acc]) structured(w *worker, sums layout.Matrix[Acc], i int) {
	buf := plain.BufOf[Acc](&w.bufs)
	for r := range sums.Rows {
		row, clear := i+r, Acc(0)
		cols := mem.Extent{From: 0, To: p.n}
		if p.s.Out != 0 {
			cols = existing(p.s.Out, row, p.n)
		}
		out := sums.Slice(r, r+1, cols.From, cols.To)
		add := func(a plain.Operand[Acc], k mem.Extent) {
			if k.From < k.To {
				p.times(a, k, cols, clear, out, buf)
				clear = 1
			}
		}
		n := p.a.Cols
		stored := mem.Extent{From: 0, To: n}
		if p.s.A != 0 {
			stored = existing(p.s.A, row, n)
		}
		if p.s.A.IsUnit() { // the one is not there to be multiplied
			mem.Scale(out, 0)
			clear = 1
			for c := range out.Cols {
				out.Data[c*out.ColStride] = p.bAt(row, cols.From+c)
			}
			if p.s.A.IsLower() {
				stored.To--
			} else {
				stored.From++
			}
		}
		add(p.a.Slice(row, row+1, stored.From, stored.To), stored)
		if p.s.Symmetric && p.s.A != 0 {
			for _, k := range [2]mem.Extent{{From: 0, To: stored.From}, {From: stored.To, To: n}} {
				add(p.a.Slice(k.From, k.To, row, row+1).T(), k)
			}
		}
		if clear == 0 {
			mem.Scale(out, 0)
		}
	}
}

// bAt is element (k, c) of b.
func (p *fusedPart[Acc]) bAt(k, c int) Acc {
	if p.s.B != 0 {
		if e := existing(p.s.B, k, p.b.Cols); c < e.From || c >= e.To {
			k, c = c, k
		}
	}
	return p.b.Value(k, c)
}

// times adds a row of a, columns k, times those rows of b to beta times out, which is columns
// cols of a row.
func (p *fusedPart[Acc]) times(a plain.Operand[Acc], k, cols mem.Extent, beta Acc, out layout.Matrix[Acc], buf *plain.Buf[Acc]) {
	if p.s.B == 0 {
		plain.Multiply(1, a, p.b.Slice(k.From, k.To, cols.From, cols.To), beta, out, buf)
		return
	}
	for c := range out.Cols {
		var sum Acc
		for x := range a.Cols {
			sum += Acc(a.Value(0, x) * p.bAt(k.From+x, cols.From+c))
		}
		if at := &out.Data[c*out.ColStride]; beta == 0 {
			*at = sum
		} else {
			*at += sum
		}
	}
}
