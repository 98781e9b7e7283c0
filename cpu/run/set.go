package run

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Set is all variants of one kernel. Generated packages hold one per spec, as a
// package-level variable that only the spec's entry points refer to, so that the
// linker drops what a program does not call.
type Set[T dtype.Float] struct {
	Name     string
	Shape    Shape      // that the kernels are for
	Variants []*Kernels // best first; none without assembly
	Algebra  Algebra[T] // of products that are not sums of products

	best chooser
}

// pick returns the variant to run, nil for the portable code.
func (s *Set[T]) pick(isa string) *Kernels { return s.best.pick(s.Name, s.Variants, isa) }

// Gemm computes out = a*b, or by opt alpha*a*b + beta*out: a is m x k, b is
// k x n, out is m x n, each with any strides.
//
// Products are summed over k in an order that depends on shapes and strides only; assembly
// fuses each with its addition, the portable code rounds it first. Every product is
// formed, so 0*Inf is NaN, NaN spreads as IEEE 754 says, and denormals are kept. With an
// Algebra of its own the product is that of a semiring: a sum is its Plus over k, in that
// order within blocks of k and from block to block, that of nothing is Zero, and there is
// no alpha and no beta.
//
// It panics with a [layout.ShapeError] before any element is read if shapes do not agree,
// a slice is too short, two elements of out share a place, or out shares memory with a or
// b as far as that can be seen.
func (s *Set[T]) Gemm(opt Options, out, a, b layout.Matrix[T]) {
	w := workers.get()
	small := s.smallOn(w, &opt, &out, &a, &b)
	workers.put(w)
	if !small {
		s.Large(&opt, &out, &a, &b)
	}
}

// Large is Gemm without the short way for small products, by reference, which leaves
// all four as they are.
func (s *Set[T]) Large(opt *Options, out, a, b *layout.Matrix[T]) { s.any(*opt, *out, *a, *b) }

// any is Large. It stands apart so that small products do not pay for its frame.
func (s *Set[T]) any(opt Options, out, a, b layout.Matrix[T]) {
	checkShapes(s.Name, &out, &a, &b)
	CheckShape(s.Name, s.Shape, out.Rows, out.Cols, a.Cols)
	if s.Algebra.Plus != nil {
		s.semiring(opt, out, a, b)
		return
	}
	alpha, beta := T(1), T(0)
	if opt.Scaled {
		alpha, beta = T(opt.Alpha), T(opt.Beta)
	}
	m, n, k := out.Rows, out.Cols, a.Cols
	switch {
	case m == 0 || n == 0:
		return
	case k == 0 || alpha == 0:
		scale(out, beta)
		return
	}
	threads := opt.threads()
	kern := s.pick(opt.ISA)
	pre := opt.B.use(s.Name, kern, dtype.Of[T](), k, n)
	if kern == nil {
		portable(threads, alpha, a, b, beta, out)
		return
	}
	normalize(&out)
	normalize(&a)
	normalize(&b)
	if out.ColStride != 1 && out.RowStride == 1 && s.Shape == (Shape{}) { // a column-major product is a row-major one of transposes
		out, a, b = out.T(), b.T(), a.T()
		pre = nil // it is of the operand that comes first now
	}
	j := jobs.get()
	j.product = product{
		kern: kern, size: dtype.Of[T]().Size(),
		a: operandOf(a), b: operandOf(b), c: operandOf(out),
		ta: dtype.Of[T](), tb: dtype.Of[T](),
		m: out.Rows, n: out.Cols, k: k,
		alpha: bitsOf(alpha), beta: bitsOf(beta), one: bitsOf(T(1)),
		mode: kernel.ModeUpdate, pre: pre,
	}
	switch {
	case beta == 0 && alpha == 1:
		j.mode = kernel.ModeStore
	case beta == 0:
		j.mode = kernel.ModeScale
	}
	j.compute(threads)
	putJob(j)
}

// maxThreads keeps multiples of a number of threads from overflowing.
const maxThreads = 1 << 16

func checkShapes[T dtype.Float](name string, out, a, b *layout.Matrix[T]) {
	if a.Cols != b.Rows || out.Rows != a.Rows || out.Cols != b.Cols {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf("out is %d x %d, a is %d x %d, b is %d x %d; want m x n, m x k, k x n",
			out.Rows, out.Cols, a.Rows, a.Cols, b.Rows, b.Cols)})
	}
	checkDepth(name, a.Cols)
	if err := out.CheckOut("out"); err != nil {
		panic(layout.ShapeError{What: name, Why: err.Error()})
	}
	if err := a.Check("a"); err != nil {
		panic(layout.ShapeError{What: name, Why: err.Error()})
	}
	if err := b.Check("b"); err != nil {
		panic(layout.ShapeError{What: name, Why: err.Error()})
	}
	if touch(out.Data, a.Data) && overlaps(*out, *a) || touch(out.Data, b.Data) && overlaps(*out, *b) {
		panic(layout.ShapeError{What: name, Why: "out shares memory with an operand; copy the operand first"})
	}
}

// touch reports whether two slices share memory: a cheap test that most calls
// need to go no further than.
func touch[T dtype.Float](x, y []T) bool {
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	size := unsafe.Sizeof(x[0])
	return shares(unsafe.Pointer(&x[0]), uintptr(len(x))*size, unsafe.Pointer(&y[0]), uintptr(len(y))*size)
}

// normalize gives a dimension of one element the stride 1, since its stride
// means nothing: kernels look for unit strides.
func normalize[T dtype.Elem](m *layout.Matrix[T]) {
	if m.Cols == 1 {
		m.ColStride = 1
	}
	if m.Rows == 1 && m.ColStride != 1 {
		m.RowStride = 1
	}
}
