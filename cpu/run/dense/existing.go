package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/plain"
	"github.com/tilesmith/tilesmith/layout"
)

// GemmTriangle2 computes triangle t, [Lower] or [Upper], of out = a*bᵀ + b*aᵀ, or by opt alpha*(a*bᵀ + b*aᵀ)
// + beta*out. That is the symmetric update of rank 2k. It computes two products and adds the second, and
// panics where [Set.GemmTriangle] does.
func (s *Set[T]) GemmTriangle2(opt run.Options, t Triangle, out, a, b layout.Matrix[T]) {
	if a.Rows != b.Rows || a.Cols != b.Cols || out.Rows != a.Rows {
		check.Call(opt.Name(s.Name)).Refuse("out is %d x %d, a is %d x %d, b is %d x %d; want n x n, n x k, n x k",
			out.Rows, out.Cols, a.Rows, a.Cols, b.Rows, b.Cols)
	}
	s.GemmTriangle(opt, t, out, a, b.T())
	opt.Scaling = opt.Scaling.Adding()
	s.GemmTriangle(opt, t, out, b, a.T())
}

// existing is tiles for a c that has only a triangle. Whole tiles are computed as ever, and
// those that the diagonal cuts by way of the scratch tile. col is c's first column.
func (j *part) existing(w *worker, a, c mem.Operand, i0 int, tiles mem.Extent, col, cols int) {
	rows := &j.plan.rows
	whole := mem.Extent{From: tiles.To, To: tiles.From}
	for t := tiles.From; t < tiles.To; t++ {
		switch has(j.exists, rows.At(t), rows.At(t+1), col, col+cols) {
		case all:
			whole.From, whole.To = min(whole.From, t), max(whole.To, t+1)
		case some:
			j.cut(w, a, c, i0, t, col, cols)
		}
	}
	j.tiles(w, a, c, i0, whole, cols)
}

// cut computes tile t as far as it lies in the triangle. It computes vectors that have an
// element of the triangle, and stores those elements.
func (j *part) cut(w *worker, a, c mem.Operand, i0, t, col, cols int) {
	args, vl := &w.args, j.kern.VL
	r0, r1 := j.plan.rows.At(t), j.plan.rows.At(t+1)
	from, to := 0, cols
	if j.exists == Lower {
		to = min(cols, mem.Ceil(r1-col, vl)*vl)
	} else {
		from = max(0, r0-col) / vl * vl
	}
	f := tileOf(args, j.kern.Table, r1-r0, to-from, false)
	args.A = a.At(r0-i0, 0)
	b := args.B
	args.B = unsafe.Add(b, from*j.size)
	tile, beta := j.toScratch(w, f, c, r0-i0, r1-r0, to-from)
	args.B = b
	for i := r0; i < r1; i++ {
		e := existing(j.exists, i, j.n)
		x0, x1 := max(e.From-col, from), min(e.To-col, to)
		if x0 < x1 {
			j.scatter(c, i-i0, x0, 1, x1-x0, mem.Operand{P: tile.At(i-r0, x0-from), RS: tile.RS, CS: tile.CS}, beta)
		}
	}
}

// portableRowsAtOnce is how many rows of a structured matrix the portable code has in a
// block.
const portableRowsAtOnce = 64

// portableTriangle is a product of which a triangle exists in plain Go: rectangles outside the
// diagonal, and blocks on it by way of a copy.
func (g *gemm[T]) portableTriangle(threads int, out, a, b plain.Operand[T]) {
	n, t := out.Rows, g.is.Out
	if a.Cols == 0 || g.alpha == 0 {
		for i := range n {
			e := existing(t, i, n)
			mem.Scale(out.Matrix().Slice(i, i+1, e.From, e.To), g.beta)
		}
		return
	}
	a, b = a.Conjugated(g.conj&run.ConjA), b.Conjugated(g.conj&run.ConjB)
	block := make([]T, min(n, portableRowsAtOnce)*min(n, portableRowsAtOnce))
	for i0 := 0; i0 < n; i0 += portableRowsAtOnce {
		i1 := min(n, i0+portableRowsAtOnce)
		rows := a.Slice(i0, i1, 0, a.Cols)
		beside := mem.Extent{From: 0, To: i0}
		if t == Upper {
			beside = mem.Extent{From: i1, To: n}
		}
		if beside.From < beside.To {
			portable(threads, nil, g.alpha, rows, b.Slice(0, b.Rows, beside.From, beside.To), g.beta, out.Slice(i0, i1, beside.From, beside.To))
		}
		sums := layout.RowMajor(block[:(i1-i0)*(i1-i0)], i1-i0, i1-i0)
		portable(1, nil, 1, rows, b.Slice(0, b.Rows, i0, i1), 0, plain.Of(sums))
		for i := range sums.Rows {
			e := existing(t, i, sums.Cols)
			for k := e.From; k < e.To; k++ {
				mem.Store(g.alpha, sums.At(i, k), g.beta, &out.Data[(i0+i)*out.RowStride+(i0+k)*out.ColStride])
			}
		}
	}
}
