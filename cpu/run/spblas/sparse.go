package spblas

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// RowSet is all variants of the product of a matrix in compressed rows with a dense
// one. A package-level variable holds one for each element type.
type RowSet[T dtype.Float] struct {
	Name     string
	Variants []*run.RowKernels // best first; none without assembly

	choice choose.Choice
}

// Multiply computes out = a*b, or by opt alpha*a*b + beta*out: a is m x k, b is
// k x n, out is m x n; b and out have any strides.
//
// The entries of a row are added in an order that depends on the structure of a, on
// n, on the variant and on the size of this machine's caches, and not on the number
// of threads. Every stored entry counts, so that a stored 0 times Inf is NaN; what is
// not stored is not multiplied, so that the sum of a row without entries is 0 whatever
// is in b, and nothing is if alpha is 0. Alpha multiplies that sum as any other: if it
// is Inf or NaN, the row is NaN. Assembly fuses each product with
// its addition, the portable code rounds it first. Copies of b, which it needs if rows
// are not contiguous, take no more memory than b or 64 MB. It panics with a
// [layout.ShapeError] before any element is read if shapes do not agree, a slice is
// too short, two elements of out share a place, or out shares memory with b as far
// as that can be seen.
func (s *RowSet[T]) Multiply(opt run.Options, out layout.Matrix[T], a sparse.Matrix[T], b layout.Matrix[T]) {
	checkSparse(s.Name, opt, &out, a.Rows(), a.Cols(), &b)
	s.multiply(opt, out, a.Raw(), b)
}

// multiply is Multiply of what was checked.
func (s *RowSet[T]) multiply(opt run.Options, out layout.Matrix[T], a sparse.Raw, b layout.Matrix[T]) {
	kern := s.pick(opt.ISA)
	alpha, beta := scalesOf(opt)
	switch {
	case out.Rows == 0 || out.Cols == 0:
		return
	case !finite(T(alpha)):
		unusual(opt, out, func(opt run.Options, out layout.Matrix[T]) { s.multiply(opt, out, a, b) })
		return
	case T(alpha) == 0 || a.NNZ == 0:
		mem.Scale(out, T(beta))
		return
	case !copies(b):
		rowsInPlace(T(alpha), T(beta), out, a, b)
		return
	}
	p := rowProducts.Get()
	p.init(kern, dtype.Of[T]().Size(), a, out.Cols)
	p.alpha, p.beta, p.mode = mem.BitsOf(T(alpha)), mem.BitsOf(T(beta)), storeMode(T(alpha), T(beta))
	p.b = rowsOf(&p.bcopy, b)
	mem.Normalize(&out)
	strided := out.ColStride != 1
	if p.c = mem.OperandOf(out); strided {
		p.c = p.ccopy.Rows(out.Rows, out.Cols, p.size)
		p.mode = kernel.ModeScale
	}
	p.decide()
	p.run(work.Allowed(opt.Threads))
	joinPieces(p, joinSums[T])
	if strided {
		mem.Scatter[T](mem.OperandOf(out), 0, 0, out.Rows, out.Cols, mem.Operand{P: p.c.P, RS: p.c.RS, CS: p.size}, p.beta)
	}
	p.release()
	rowProducts.Put(p)
}

// checkSparse is what every product of a sparse m x k matrix checks first.
func checkSparse[T dtype.Float](name string, opt run.Options, out *layout.Matrix[T], m, k int, b *layout.Matrix[T]) {
	fail := func(why string) { panic(layout.ShapeError{What: name, Why: why}) }
	if k != b.Rows || out.Rows != m || out.Cols != b.Cols {
		fail(fmt.Sprintf("out is %d x %d, a is %d x %d, b is %d x %d; want m x n, m x k, k x n", out.Rows, out.Cols, m, k, b.Rows, b.Cols))
	}
	if err := out.CheckOut("out"); err != nil {
		fail(err.Error())
	}
	if err := b.Check("b"); err != nil {
		fail(err.Error())
	}
	if mem.Touch(out.Data, b.Data) && mem.Overlaps(*out, *b) {
		fail("out shares memory with b; copy b first")
	}
	if opt.B != nil {
		fail("Options.B is for dense products; a sparse one has no use for a packed b")
	}
}

// scalesOf returns alpha and beta.
func scalesOf(o run.Options) (alpha, beta float64) {
	if o.Scaled {
		return o.Alpha, o.Beta
	}
	return 1, 0
}

// storeMode is the cheapest mode for two factors.
func storeMode[T dtype.Float](alpha, beta T) int64 {
	switch {
	case beta == 0 && alpha == 1:
		return kernel.ModeStore
	case beta == 0:
		return kernel.ModeScale
	}
	return kernel.ModeUpdate
}

// rowsOf returns m with contiguous rows: itself, or a copy in buf.
func rowsOf[T dtype.Float](buf *mem.Buffer, m layout.Matrix[T]) mem.Operand {
	mem.Normalize(&m)
	if m.Rows == 0 || m.Cols == 0 {
		return mem.Operand{}
	}
	if m.ColStride == 1 {
		return mem.OperandOf(m)
	}
	rows := distinctRows(m)
	o := buf.Rows(rows, m.Cols, dtype.Of[T]().Size())
	copyRows(sliceOf((*T)(o.P), rows*m.Cols), m)
	if rows < m.Rows {
		o.RS = 0
	}
	return o
}

// contiguousRows is rowsOf with memory of its own.
func contiguousRows[T dtype.Float](m layout.Matrix[T]) layout.Matrix[T] {
	mem.Normalize(&m)
	if m.ColStride == 1 {
		return m
	}
	c := layout.New[T](distinctRows(m), m.Cols)
	copyRows(c.Data, m)
	if c.Rows < m.Rows {
		c.Rows, c.RowStride = m.Rows, 0
	}
	return c
}

// distinctRows is how many rows a copy of m needs: one if all are the same, which may
// be far more than there are elements.
func distinctRows[T dtype.Float](m layout.Matrix[T]) int {
	if m.RowStride == 0 {
		return min(m.Rows, 1)
	}
	return m.Rows
}

// copyRows copies the distinct rows of m to dst, one after another.
func copyRows[T dtype.Float](dst []T, m layout.Matrix[T]) {
	const block = 32 // both sides of the copy stay within a few lines and pages
	rows := distinctRows(m)
	for i0 := 0; i0 < rows; i0 += block {
		for j0 := 0; j0 < m.Cols; j0 += block {
			for i := i0; i < min(i0+block, rows); i++ {
				for j := j0; j < min(j0+block, m.Cols); j++ {
					dst[i*m.Cols+j] = m.Data[i*m.RowStride+j*m.ColStride]
				}
			}
		}
	}
}

// joinSums adds n partial sums at src to those at dst.
func joinSums[T dtype.Float](dst, src *T, n int) {
	x, y := sliceOf(dst, n), sliceOf(src, n)
	for i := range x {
		x[i] += y[i]
	}
}
