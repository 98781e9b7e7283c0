package dense

import (
	"sync/atomic"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// diagonal multiplies b by a small triangle, or by its inverse, in place. A task is a panel of b's
// columns: it is packed, its rows are replaced by results tile by tile, and it is stored.
//
//	. . . . . . .   A tile's rows r0..r1 are, solving, those of b less the product of
//	. . . . . . .   #, which the usual kernel does from rows that are results to
//	# # # # \ . .   these; then \, row by row, with the kernel for one row, which
//	# # # # \ \ .   reads the tile's rows that are results. Multiplying, \ comes before
//	. . . . . . .   #, and rows in the opposite order, since # reads what is not replaced.
type diagonal[T dtype.Number] struct {
	kern   *run.Kernels
	alpha  T
	t      Triangle
	solve  bool
	conj   bool // of a
	n      int
	a, b   layout.Matrix[T]
	buf    mem.Buffer
	packed mem.Operand // a's triangle in contiguous rows, with ones on the diagonal of a unit triangle
	rows   mem.Split
	panel  int // columns of b at once
	next   atomic.Int64
}

// diagonalOf returns the job's place for one of T.
func diagonalOf[T dtype.Number](j *job) *diagonal[T] {
	if d, ok := any(&j.tri32).(*diagonal[T]); ok {
		return d
	}
	if d, ok := any(&j.triC).(*diagonal[T]); ok {
		return d
	}
	if d, ok := any(&j.triZ).(*diagonal[T]); ok {
		return d
	}
	return any(&j.tri64).(*diagonal[T])
}

// downwards reports whether results are made from the first row to the last.
func (d *diagonal[T]) downwards() bool { return d.t.lower() == d.solve }

// before is which columns of the triangle lie in all of rows r0..r1, beside the diagonal.
func (d *diagonal[T]) before(r0, r1 int) mem.Extent {
	if d.t.lower() {
		return mem.Extent{From: 0, To: r0}
	}
	return mem.Extent{From: r1, To: d.n}
}

// within is which columns lie in row r and in rows r0..r1 of its tile.
func (d *diagonal[T]) within(r, r0, r1 int) mem.Extent {
	if d.t.lower() {
		return mem.Extent{From: r0, To: r + 1}
	}
	return mem.Extent{From: r, To: r1}
}

// prepare packs the triangle, and nothing outside it.
func (d *diagonal[T]) prepare(w *worker) {
	p := product{kern: d.kern, size: dtype.Of[T]().Size()}
	a, ld := mem.OperandOf(d.a), p.copiedRow(d.n)
	d.buf.Grow(d.n * ld)
	d.packed = mem.Operand{P: d.buf.P, RS: ld, CS: p.size}
	d.rows, d.panel = mem.SplitUp(d.n, d.kern.MR), d.kern.NV*d.kern.VL
	for t := range d.rows.Count {
		r0, r1 := d.rows.At(t), d.rows.At(t+1)
		if e := d.before(r0, r1); e.From < e.To {
			p.copyRowsTo(w, d.packed.At(r0, e.From), ld, mem.Operand{P: a.At(r0, e.From), RS: a.RS, CS: a.CS}, dtype.Of[T](), r1-r0, e.To-e.From, d.kern.PackRowsA, d.kern.PackColsA)
		}
	}
	// What copies vectors may have written there.
	for t := range d.rows.Count {
		r0, r1 := d.rows.At(t), d.rows.At(t+1)
		for r := r0; r < r1; r++ {
			e := d.within(r, r0, r1)
			for k := e.From; k < e.To; k++ {
				x := (*T)(d.packed.At(r, k))
				if *x = 1; k != r || !d.t.unit() {
					*x = *(*T)(a.At(r, k))
				}
			}
		}
		if e := (mem.Extent{From: min(d.before(r0, r1).From, r0), To: max(d.before(r0, r1).To, r1)}); d.conj {
			conjugate(d.packed.At(r0, e.From), ld, r1-r0, e.To-e.From, p.size)
		}
	}
	w.pack.B, w.pack.C = nil, nil
}

func (d *diagonal[T]) work(w *worker) {
	for {
		from := int(d.next.Add(1)-1) * d.panel
		if from >= d.b.Cols {
			break
		}
		b := d.b.Slice(0, d.n, from, min(from+d.panel, d.b.Cols))
		if d.kern == nil {
			d.portable(b)
		} else {
			d.columns(w, b)
		}
	}
	w.args.A, w.args.B, w.args.C = nil, nil, nil
	w.pack.B, w.pack.C = nil, nil
}

// columns does a panel of b.
func (d *diagonal[T]) columns(w *worker, b layout.Matrix[T]) {
	p := product{kern: d.kern, size: dtype.Of[T]().Size()}
	vl, o := d.kern.VL, mem.OperandOf(b)
	nv := mem.Ceil(b.Cols, vl)
	ld := nv * vl * p.size
	w.bbuf.Grow(d.n * ld)
	x := mem.Operand{P: w.bbuf.P, RS: ld, CS: p.size}
	p.copyRowsTo(w, x.P, ld, o, dtype.Of[T](), d.n, b.Cols, d.kern.PackRows, d.kern.PackCols)

	args := &w.args
	args.RsA, args.CsA, args.LdB, args.LdC, args.Tiles, args.N = int64(d.packed.RS), int64(p.size), int64(ld), int64(ld), 1, int64(vl)
	args.Next, args.NextStep, args.Pair = 0, 0, &w.pair
	for i := range d.rows.Count {
		if !d.downwards() {
			i = d.rows.Count - 1 - i
		}
		r0, r1 := d.rows.At(i), d.rows.At(i+1)
		e := d.before(r0, r1)
		if d.solve {
			f := d.alpha
			if e.From < e.To {
				d.add(args, x, mem.Extent{From: r0, To: r1}, e, nv, -1, f)
				f = 1
			}
			d.solveTile(args, x, r0, r1, nv, f)
			continue
		}
		d.multiplyTile(args, x, r0, r1, nv)
		if e.From < e.To {
			d.add(args, x, mem.Extent{From: r0, To: r1}, e, nv, d.alpha, 1)
		}
	}
	d.store(w, x, o, b.Cols)
}

// add sets rows of x to beta*x + alpha*a*x, with columns e of a and those rows of x. Beta 0
// reads no old value.
func (d *diagonal[T]) add(args *run.Args, x mem.Operand, rows, e mem.Extent, nv int, alpha, beta T) {
	n := rows.To - rows.From
	args.A, args.B, args.C = d.packed.At(rows.From, e.From), x.At(e.From, 0), x.At(rows.From, 0)
	args.K, args.Rows = int64(e.To-e.From), int64(n)
	args.Alpha, args.Beta, args.Mode = mem.BitsOf(alpha), mem.BitsOf(beta), kernel.ModeUpdate
	if beta == 0 {
		args.Mode = kernel.ModeScale
	}
	if d.kern.Paired() {
		args.Mode = args.Pair.Set(unsafe.Sizeof(alpha) == singlePair, complexNumbers, false, false, complexOf(alpha), complexOf(beta), beta != 0)
	}
	d.kern.Tile(kernel.Panel, n, nv)(args)
}

// solveTile replaces rows of x by results, of which those of other tiles have been taken
// off: (f*x - what the tile's results make) / diagonal.
func (d *diagonal[T]) solveTile(args *run.Args, x mem.Operand, r0, r1, nv int, f T) {
	for r := range r1 - r0 {
		if r += r0; !d.downwards() {
			r = r1 - 1 - (r - r0)
		}
		e := d.within(r, r0, r1)
		if d.t.lower() { // without the diagonal
			e.To--
		} else {
			e.From++
		}
		by := *(*T)(d.packed.At(r, r))
		inverse := 1 / by
		row := unsafe.Slice((*T)(x.At(r, 0)), nv*d.kern.VL)
		switch usual := finite(inverse) && finite(f*inverse); {
		case e.From < e.To && usual:
			d.add(args, x, mem.Extent{From: r, To: r + 1}, e, nv, -inverse, f*inverse)
		case usual:
			scaleTo(row, f*inverse)
		default: // one rounding more, and Inf and NaN as division has them
			if e.From < e.To {
				d.add(args, x, mem.Extent{From: r, To: r + 1}, e, nv, -1, f)
			} else if f != 1 {
				scaleTo(row, f)
			}
			for i := range row {
				row[i] /= by
			}
		}
	}
}

func finite[T dtype.Number](x T) bool { return x-x == 0 }

func scaleTo[T dtype.Number](row []T, f T) {
	if f != 1 {
		for i := range row {
			row[i] *= f
		}
	}
}

// multiplyTile replaces rows of x by alpha times the tile's triangle times them. The row
// that is written is read before, by the kernel for one row.
func (d *diagonal[T]) multiplyTile(args *run.Args, x mem.Operand, r0, r1, nv int) {
	for r := range r1 - r0 {
		if r += r0; !d.downwards() {
			r = r1 - 1 - (r - r0)
		}
		d.add(args, x, mem.Extent{From: r, To: r + 1}, d.within(r, r0, r1), nv, d.alpha, 0)
	}
}

// store copies a finished panel of cols columns to where it came from: o, which may lie by
// columns.
func (d *diagonal[T]) store(w *worker, x, o mem.Operand, cols int) {
	size, vl := int(unsafe.Sizeof(d.alpha)), d.kern.VL
	from := 0
	switch {
	case o.CS == size:
		for r := range d.n {
			copy(unsafe.Slice((*T)(o.At(r, 0)), cols), unsafe.Slice((*T)(x.At(r, 0)), cols))
		}
		return
	case o.RS == size: // whole vectors of rows, transposed
		args := &w.pack
		args.K, args.N, args.LdB, args.LdC = int64(cols), int64(vl), int64(x.RS), int64(o.CS)
		for ; from+vl <= d.n; from += vl {
			args.B, args.C = x.At(from, 0), o.At(from, 0)
			d.kern.PackCols(args)
		}
	}
	if from < d.n {
		mem.ScatterBy[T](o, from, 0, d.n-from, cols, mem.Operand{P: x.At(from, 0), RS: x.RS, CS: x.CS}, 0)
	}
}

// portable does a panel of b in plain Go.
func (d *diagonal[T]) portable(b layout.Matrix[T]) {
	for i := range d.n {
		if !d.downwards() {
			i = d.n - 1 - i
		}
		e := d.before(i, i+1)
		for c := range b.Cols {
			x := &b.Data[i*b.RowStride+c*b.ColStride]
			var sum T
			if !d.solve {
				if sum = *x; !d.t.unit() {
					sum = conjOf(d.a.At(i, i), d.conj) * sum
				}
			}
			for k := e.From; k < e.To; k++ {
				sum += T(conjOf(d.a.At(i, k), d.conj) * b.At(k, c))
			}
			if !d.solve {
				*x = d.alpha * sum
				continue
			}
			*x = T(d.alpha**x) - sum
			if !d.t.unit() {
				*x /= conjOf(d.a.At(i, i), d.conj)
			}
		}
	}
}
