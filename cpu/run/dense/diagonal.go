package dense

import (
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// diagonal multiplies b by a small triangle, or by its inverse, in place. A task is a panel of b's
// columns: it is packed, and its rows are replaced by results tile by tile.
//
//	. . . . . . .   A tile's rows are, solving, those of b less the product of # and
//	. . . . . . .   rows that are results, times the inverse of \; multiplying, the
//	# # # # \ . .   product of # and \ with rows that are not replaced. Kernels for both
//	# # # # \ \ .   are [kernel.Kernels].
//	. . . . . . .
//
// They go down a lower triangle. An upper one is the same from the last row and column on, with
// strides below zero. There are whole tiles. Rows beyond the last are those of the unit matrix, and
// stand in front of an upper triangle.
type diagonal[T dtype.AnySum] struct {
	kern   *kernel.Kernels // nil: portable
	alpha  T
	t      Triangle
	solve  bool
	conj   bool // of a
	alone  bool // no element of the diagonal has an imaginary part
	n      int
	padded int // n in whole tiles
	first  int // where row 0 lies in what is packed
	a, b   layout.Matrix[T]
	buf    mem.Buffer
	packed mem.Operand // a's triangle in contiguous rows; on its diagonal, solving, reciprocals
	panel  int         // columns of b at once
	tasks  work.Tasks  // panels
}

// diagonalOf returns the job's place for one of T.
func diagonalOf[T dtype.AnySum](j *job) *diagonal[T] {
	return mem.KeptOf[diagonal[T]](&j.diags, dtype.Of[T]())
}

// downwards reports whether results are made from the first row to the last.
func (d *diagonal[T]) downwards() bool { return d.t.IsLower() == d.solve }

// before is which columns of the triangle lie in all of rows r0..r1, outside the square
// on the diagonal.
func (d *diagonal[T]) before(r0, r1 int) mem.Extent {
	if d.t.IsLower() {
		return mem.Extent{From: 0, To: r0}
	}
	return mem.Extent{From: r1, To: d.n}
}

// within is which columns lie in row r and in rows r0..r1 of its tile.
func (d *diagonal[T]) within(r, r0, r1 int) mem.Extent {
	if d.t.IsLower() {
		return mem.Extent{From: r0, To: r + 1}
	}
	return mem.Extent{From: r, To: r1}
}

// prepare packs the triangle, and nothing outside it. It reports false, and has packed nothing of
// use, if a reciprocal of the diagonal is less precise than other numbers.
func (d *diagonal[T]) prepare(w *worker) bool {
	p := product{kern: d.kern, size: dtype.Of[T]().Size()}
	mr := d.kern.MR
	d.padded, d.first = mem.Ceil(d.n, mr)*mr, 0
	if !d.t.IsLower() {
		d.first = d.padded - d.n
	}
	a, ld := mem.OperandOf(d.a), p.copiedRow(d.padded)
	d.buf.Grow(d.padded * ld)
	d.packed = mem.Operand{P: d.buf.P, RS: ld, CS: p.size}
	d.panel = d.kern.NV * d.kern.VL
	into := mem.Operand{P: d.packed.At(d.first, d.first), RS: ld, CS: p.size} // as a
	for to := range d.padded / mr {
		r0, r1 := max(to*mr-d.first, 0), min((to+1)*mr-d.first, d.n)
		if e := d.before(r0, r1); e.From < e.To {
			p.copyRowsTo(w, into.At(r0, e.From), ld, mem.Operand{P: a.At(r0, e.From), RS: a.RS, CS: a.CS}, dtype.Of[T](), r1-r0, e.To-e.From, packersA(d.kern))
		}
	}
	w.pack.B, w.pack.C = nil, nil
	// Copies of vectors may have written there.
	usual := true
	d.alone = true
	for r := range d.n {
		r0 := (r+d.first)/mr*mr - d.first
		r1 := min(r0+mr, d.n)
		r0 = max(r0, 0)
		stored := d.within(r, r0, r1)
		on := (*T)(into.At(r, r))
		if d.t.IsUnit() {
			if *on = 1; d.t.IsLower() {
				stored.To--
			} else {
				stored.From++
			}
		}
		if stored.From < stored.To {
			gatherRow(into.At(r, stored.From), a.At(r, stored.From), stored.To-stored.From, a.CS, dtype.Of[T]().Size(), dtype.Of[T]())
		}
		if d.conj {
			e := mem.Extent{From: min(d.before(r0, r1).From, r0), To: max(d.before(r0, r1).To, r1)}
			conjugate(into.At(r, e.From), ld, 1, e.To-e.From, p.size)
		}
		switch {
		case d.solve:
			*on = 1 / *on
			usual = usual && precise(*on)
		case d.alpha != 1:
			e := existing(d.t, r, d.n)
			scaleTo(unsafe.Slice((*T)(into.At(r, e.From)), e.To-e.From), d.alpha)
		}
		d.alone = d.alone && imag(complexOf(*on)) == 0
	}
	pads := d.pads()
	for r := pads.From; r < pads.To; r++ {
		clear(unsafe.Slice((*T)(d.packed.At(r, 0)), d.padded))
		*(*T)(d.packed.At(r, r)) = 1
	}
	return usual
}

// pads is which of the packed rows do not belong to the triangle.
func (d *diagonal[T]) pads() mem.Extent {
	if d.t.IsLower() {
		return mem.Extent{From: d.n, To: d.padded}
	}
	return mem.Extent{From: 0, To: d.first}
}

// precise reports whether a reciprocal has all bits of its type.
func precise[T dtype.AnySum](x T) bool {
	y, least := complexOf(x), 0x1p-1022
	if s := unsafe.Sizeof(x); s == 4 || s == singlePair && dtype.Of[T]().Complex() {
		least = 0x1p-126
	}
	return x-x == 0 && max(math.Abs(real(y)), math.Abs(imag(y))) >= least
}

func scaleTo[T dtype.AnySum](row []T, f T) {
	if f != 1 {
		for i := range row {
			row[i] *= f
		}
	}
}

func workOnDiagonal(diagonal any, w *worker) {
	diagonal.(interface{ workOnDiagonal(w *worker) }).workOnDiagonal(w)
}

func (d *diagonal[T]) workOnDiagonal(w *worker) {
	for t, ok := d.tasks.Next(); ok; t, ok = d.tasks.Next() {
		from := t * d.panel
		b := d.b.Slice(0, d.n, from, min(from+d.panel, d.b.Cols))
		if d.kern == nil {
			d.portable(b)
		} else {
			d.columns(w, b)
		}
	}
	w.args.A, w.args.B, w.args.C, w.args.Fetch = nil, nil, nil, nil
	w.pack.B, w.pack.C = nil, nil
}

// columns does a panel of b.
func (d *diagonal[T]) columns(w *worker, b layout.Matrix[T]) {
	p := product{kern: d.kern, size: dtype.Of[T]().Size()}
	mr, vl, o := d.kern.MR, d.kern.VL, mem.OperandOf(b)
	nv := mem.Ceil(b.Cols, vl)
	ld := nv * vl * p.size
	w.bbuf.Grow(d.padded * ld)
	x := mem.Operand{P: w.bbuf.P, RS: ld, CS: p.size}
	p.copyRowsTo(w, x.At(d.first, 0), ld, o, dtype.Of[T](), d.n, b.Cols, d.kern.Pack)
	if pads := d.pads(); pads.From < pads.To {
		clear(unsafe.Slice((*T)(x.At(pads.From, 0)), (pads.To-pads.From)*nv*vl))
	}
	if d.solve {
		scaleTo(unsafe.Slice((*T)(x.At(d.first, 0)), d.n*nv*vl), d.alpha)
	}

	// From here on rows are in the order in which they are made.
	a, to := d.packed, mem.Operand{P: o.P, RS: o.RS, CS: o.CS}
	if !d.t.IsLower() {
		a = mem.Operand{P: a.At(d.padded-1, d.padded-1), RS: -a.RS, CS: -a.CS}
		x = mem.Operand{P: x.At(d.padded-1, 0), RS: -x.RS, CS: x.CS}
		to = mem.Operand{P: o.At(d.n-1, 0), RS: -o.RS, CS: o.CS}
	}
	direct := 0 // so many rows are stored where they belong: whole vectors of whole tiles
	if o.CS == p.size && b.Cols == nv*vl {
		direct = d.n / mr * mr
	}
	args := &w.args
	args.RsA, args.CsA, args.LdB, args.B = int64(a.RS), int64(a.CS), int64(x.RS), x.P
	if d.kern.Paired() {
		args.Pair = &w.pair
		args.Pair.SetTriangle(unsafe.Sizeof(d.alpha) == singlePair, d.alone)
	}
	form := kernel.Panel
	if d.solve {
		form = kernel.Solve
	}
	diagonal := d.kern.Triangles.Of(form)[nv-1].F
	for i := range d.padded / mr {
		r := i * mr
		if !d.solve { // the last rows first: none is read that has been replaced
			r = d.padded - mr - r
		}
		args.A, args.K = a.At(r, 0), int64(r)
		at := x
		if r < direct {
			at = to
		}
		args.C, args.LdC = at.At(r, 0), int64(at.RS)
		if args.Fetch, args.LdF = args.C, args.LdC; d.solve {
			args.C, args.LdC = x.At(r, 0), int64(x.RS)
		}
		diagonal(args)
	}
	if direct == d.n {
		return
	}
	// Rows as b has them again.
	from, rows := mem.Operand{P: w.bbuf.P, RS: ld, CS: p.size}, mem.Extent{From: direct, To: d.n}
	if !d.t.IsLower() {
		rows = mem.Extent{From: 0, To: d.n - direct}
	}
	d.store(w, mem.Operand{P: from.At(d.first+rows.From, 0), RS: ld, CS: p.size}, mem.Operand{P: o.At(rows.From, 0), RS: o.RS, CS: o.CS}, rows.To-rows.From, b.Cols)
}

// store copies rows of a finished panel of cols columns to where they came from: o, which may lie
// by columns.
func (d *diagonal[T]) store(w *worker, x, o mem.Operand, rows, cols int) {
	size, vl := int(unsafe.Sizeof(d.alpha)), d.kern.VL
	from := 0
	switch {
	case o.CS == size:
		for r := range rows {
			copy(unsafe.Slice((*T)(o.At(r, 0)), cols), unsafe.Slice((*T)(x.At(r, 0)), cols))
		}
		return
	case o.RS == size: // whole vectors of rows, transposed
		from = rows / vl * vl
		w.pack.K = int64(cols)
		mem.Columns(d.kern.Pack.One(kernel.Columns), &w.pack, vl, size, x.P, x.RS, o.P, o.CS, from)
	}
	if from < rows {
		mem.ScatterBy[T](o, from, 0, rows-from, cols, mem.Operand{P: x.At(from, 0), RS: x.RS, CS: x.CS}, 0)
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
				if sum = *x; !d.t.IsUnit() {
					sum = conjOf(d.a.At(i, i), d.conj) * sum
				}
			}
			for k := e.From; k < e.To; k++ {
				sum += T(conjOf(d.a.At(i, k), d.conj) * b.At(k, c))
			}
			of := x // what has the factor
			if !d.solve {
				of = &sum
			}
			if d.alpha != 1 { // which is not a factor: for complex numbers it makes NaN of Inf
				*of = T(d.alpha * *of)
			}
			if !d.solve {
				*x = sum
				continue
			}
			*x -= sum
			if !d.t.IsUnit() {
				*x /= conjOf(d.a.At(i, i), d.conj)
			}
		}
	}
}
