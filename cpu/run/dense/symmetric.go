package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// GemmSymmetric is [Set.Gemm] for a symmetric a, of which triangle t, [Lower] or [Upper],
// is read and stands for all of it. b*a is the transpose of a*b.T(). A bad triangle is a
// [run.OptionError].
func (s *Set[T]) GemmSymmetric(opt run.Options, t Triangle, out, a, b layout.Matrix[T]) {
	name := opt.Name(s.Name)
	run.CheckThreads(name, opt.Threads)
	checkTriangle(name, "a", t, a.Rows, a.Cols, false)
	checkProduct(name, &out, &a, &b)
	if touches(t, a, out) || mem.Touch(out.Data, b.Data) && mem.Overlaps(out, b) {
		panic(layout.ShapeError{What: name, Why: overlap})
	}
	refusePacked(name, &opt)
	kern := s.pick(name, opt.ISA)
	alpha, beta, _ := kernel.FactorsOf[T](&opt.Scaling)
	threads := work.Allowed(opt.Threads)
	switch {
	case out.Rows == 0 || out.Cols == 0:
		return
	case alpha == 0:
		mem.Scale(out, beta)
		return
	case kern == nil:
		portableSymmetric(threads, t, alpha, a, b, beta, out)
		return
	}
	mem.Normalize(&out)
	mem.Normalize(&b)
	as, bs := t, Triangle(0)
	if out.ColStride != 1 && out.RowStride == 1 { // a as it is, now on the right
		out, a, b = out.T(), b.T(), a
		as, bs = bs, as
	}
	j := jobs.Get()
	j.product = productOf(kern, alpha, a, b, beta, out)
	j.as, j.bs = as, bs
	j.compute(threads)
	putJob(j)
}

// copySymmetric is copyA for a symmetric a: k of its columns from the one called first on,
// of rows from row on.
func (j *part) copySymmetric(w *worker, row, rows, first, k int) mem.Operand {
	ld := j.copiedRow(k)
	w.abuf.Grow(rows * ld)
	j.mirrored(w, w.abuf.P, ld, j.a, j.as, row, first, rows, k, j.kern.PackRowsA, j.kern.PackColsA)
	return mem.Operand{P: w.abuf.P, RS: ld, CS: j.size}
}

// mirrored copies m x n elements of a symmetric matrix, from (i, j) on, to rows that are ld
// bytes apart: from where they are stored, or from across the diagonal. A
// part that the diagonal cuts is cut in two, along columns at whole vectors, since what
// copies fills up the last one, and from left to right.
func (p *product) mirrored(w *worker, out unsafe.Pointer, ld int, o mem.Operand, t Triangle, i, j, m, n int, byRow []run.Kernel, byCol run.Kernel) {
	vl := p.kern.VL
	across := mem.Operand{P: o.At(j, i), RS: o.CS, CS: o.RS}
	right := 0 // columns left of the cut
	switch {
	case m == 0 || n == 0:
		return
	case t.has(i, i+m, j, j+n) == all:
		p.copyRowsTo(w, out, ld, mem.Operand{P: o.At(i, j), RS: o.RS, CS: o.CS}, p.ta, m, n, byRow, byCol)
		return
	case t.T().has(i, i+m, j, j+n) == all:
		p.copyRowsTo(w, out, ld, across, p.ta, m, n, byRow, byCol)
		return
	case i-j >= vl: // what comes before the diagonal in all rows
		right = (i - j) / vl * vl
	case mem.Ceil(i+m-j, vl)*vl < n: // and after it
		right = mem.Ceil(i+m-j, vl) * vl
	case n > vl && n >= m:
		right = mem.Ceil(n/2, vl) * vl
	case m > vl:
		half := m / 2
		p.mirrored(w, out, ld, o, t, i, j, half, n, byRow, byCol)
		p.mirrored(w, unsafe.Add(out, half*ld), ld, o, t, i+half, j, m-half, n, byRow, byCol)
		return
	default:
		for r := range m {
			e := t.row(i+r, j+n)
			for c := range n {
				from := across.At(r, c)
				if j+c >= e.From && j+c < e.To {
					from = o.At(i+r, j+c)
				}
				if to := unsafe.Add(out, r*ld+c*p.size); p.size == 4 {
					*(*float32)(to) = *(*float32)(from)
				} else {
					*(*float64)(to) = *(*float64)(from)
				}
			}
		}
		return
	}
	p.mirrored(w, out, ld, o, t, i, j, m, right, byRow, byCol)
	p.mirrored(w, unsafe.Add(out, right*p.size), ld, o, t, i, j+right, m, n-right, byRow, byCol)
}

// portableSymmetric is GemmSymmetric in plain Go: some whole rows of a at a time.
func portableSymmetric[T dtype.Float](threads int, t Triangle, alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T]) {
	n := a.Rows
	block := make([]T, mem.Volume(min(n, portableRowsAtOnce), n))
	for i0 := 0; i0 < n; i0 += portableRowsAtOnce {
		i1 := min(n, i0+portableRowsAtOnce)
		rows := layout.RowMajor(block[:(i1-i0)*n], i1-i0, n)
		for i := i0; i < i1; i++ {
			e := t.row(i, n)
			for k := range n {
				if k >= e.From && k < e.To {
					rows.Set(i-i0, k, a.At(i, k))
				} else {
					rows.Set(i-i0, k, a.At(k, i))
				}
			}
		}
		portable(threads, alpha, rows, b, beta, out.Slice(i0, i1, 0, out.Cols))
	}
}
