package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/plain"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// copySymmetric is copyA for a symmetric a: k of its columns from the one called first on,
// of rows from row on.
func (j *part) copySymmetric(w *worker, row, rows, first, k int) mem.Operand {
	ld := j.copiedRow(k)
	w.abuf.Grow(rows * ld)
	j.mirrored(w, w.abuf.P, ld, j.a, j.as, row, first, rows, k, packersA(j.kern))
	return mem.Operand{P: w.abuf.P, RS: ld, CS: j.size}
}

// mirror is the source of a symmetric b.
type mirror struct{}

func (mirror) panel(j *part, w *worker, dst unsafe.Pointer, k, kc, col, cols, ld int) {
	j.mirrored(w, dst, ld, j.b, j.bs, k, col, kc, cols, j.kern.Pack)
}

// mirrored copies m x n elements of a symmetric matrix, from (i, j) on, to rows that are ld
// bytes apart. It reads them where they are stored, or across the diagonal. A part that the
// diagonal cuts is cut in two, along columns at whole vectors and from left to right, since
// copies fill up the last vector.
func (p *product) mirrored(w *worker, out unsafe.Pointer, ld int, o mem.Operand, t Triangle, i, j, m, n int, pack *kernel.Table[kernel.Func[kernel.Args]]) {
	vl := p.kern.VL
	across := mem.Operand{P: o.At(j, i), RS: o.CS, CS: o.RS}
	right := 0 // columns left of the cut
	switch {
	case m == 0 || n == 0:
		return
	case has(t, i, i+m, j, j+n) == all:
		p.copyRowsTo(w, out, ld, mem.Operand{P: o.At(i, j), RS: o.RS, CS: o.CS}, p.ta, m, n, pack)
		p.realDiagonal(out, ld, i, j, m, n)
		return
	case has(t.T(), i, i+m, j, j+n) == all:
		p.copyRowsTo(w, out, ld, across, p.ta, m, n, pack)
		if p.hermitian {
			conjugate(out, ld, m, n, p.size)
		}
		p.realDiagonal(out, ld, i, j, m, n)
		return
	case i-j >= vl: // what comes before the diagonal in all rows
		right = (i - j) / vl * vl
	case mem.Ceil(i+m-j, vl)*vl < n: // and after it
		right = mem.Ceil(i+m-j, vl) * vl
	case n > vl && n >= m:
		right = mem.Ceil(n/2, vl) * vl
	case m > vl:
		half := m / 2
		p.mirrored(w, out, ld, o, t, i, j, half, n, pack)
		p.mirrored(w, unsafe.Add(out, half*ld), ld, o, t, i+half, j, m-half, n, pack)
		return
	default:
		p.cutByDiagonal(out, ld, o, t, i, j, m, n)
		return
	}
	p.mirrored(w, out, ld, o, t, i, j, m, right, pack)
	p.mirrored(w, unsafe.Add(out, right*p.size), ld, o, t, i, j+right, m, n-right, pack)
}

// cutByDiagonal is mirrored for a few elements, some of which lie on each side of the diagonal.
func (p *product) cutByDiagonal(out unsafe.Pointer, ld int, o mem.Operand, t Triangle, i, j, m, n int) {
	for r := range m {
		to, e := unsafe.Add(out, r*ld), existing(t, i+r, j+n)
		from := min(max(e.From-j, 0), n) // of these columns what is stored
		until := min(max(e.To-j, from), n)
		across := func(c0, c1 int) {
			if c0 < c1 {
				gatherRow(unsafe.Add(to, c0*p.size), o.At(j+c0, i+r), c1-c0, o.RS, p.size, p.ta)
				if p.hermitian {
					conjugate(unsafe.Add(to, c0*p.size), ld, 1, c1-c0, p.size)
				}
			}
		}
		across(0, from)
		if from < until {
			gatherRow(unsafe.Add(to, from*p.size), o.At(i+r, j+from), until-from, o.CS, p.size, p.ta)
		}
		across(until, n)
	}
	p.realDiagonal(out, ld, i, j, m, n)
}

// realDiagonal drops, of m x n elements of a Hermitian matrix from (i, j) on, the imaginary parts of
// its diagonal.
func (p *product) realDiagonal(out unsafe.Pointer, ld, i, j, m, n int) {
	if !p.hermitian {
		return
	}
	for d := max(i, j); d < min(i+m, j+n); d++ {
		realPart(unsafe.Add(out, (d-i)*ld+(d-j)*p.size), p.size)
	}
}

// portableSymmetric is a product by a symmetric a in plain Go: some whole rows of a at a time.
func (g *gemm[T]) portableSymmetric(threads int, out, a, b plain.Operand[T]) {
	n, t, size := a.Rows, g.is.A, dtype.Of[T]().Size()
	block := make([]T, mem.Volume(min(n, portableRowsAtOnce), n))
	for i0 := 0; i0 < n; i0 += portableRowsAtOnce {
		i1 := min(n, i0+portableRowsAtOnce)
		rows := layout.RowMajor(block[:(i1-i0)*n], i1-i0, n)
		for i := i0; i < i1; i++ {
			e := existing(t, i, n)
			for k := range n {
				at := &rows.Data[(i-i0)*n+k]
				if k >= e.From && k < e.To {
					*at = a.Value(i, k)
				} else if *at = a.Value(k, i); g.is.Hermitian {
					conjugate(unsafe.Pointer(at), 0, 1, 1, size)
				}
			}
			if g.is.Hermitian {
				realPart(unsafe.Pointer(&rows.Data[(i-i0)*n+i]), size)
			}
		}
		portable(threads, nil, g.alpha, plain.Of(rows).Conjugated(g.conj&run.ConjA), b.Conjugated(g.conj&run.ConjB), g.beta, out.Slice(i0, i1, 0, out.Cols))
	}
}
