package dense

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Set is all variants of one kernel. Generated packages hold one per spec, as a
// package-level variable. Only the spec's entry points refer to it, so the linker drops
// what a program does not call.
type Set[T dtype.Number] struct {
	Name     string
	Shape    Shape             // that the kernels are for
	Variants []*kernel.Kernels // best first; none without assembly
	// Semiring is the arithmetic of products that are not sums of products. It is a
	// function since a variable that holds an infinite Zero would take code that runs
	// before main.
	Semiring func() semiring.Semiring[T]

	choice choose.Choice
	mixed  struct {
		sync.Once
		Mixed
	}
}

func pickKernels(c *choose.Choice, name string, variants []*kernel.Kernels, isa string) *kernel.Kernels {
	return choose.Pick(c, name, variants, isaOf, isa)
}

// pick returns the variant to run, nil for the portable code, or panics in the name of
// the function that was called.
func (s *Set[T]) pick(name, isa string) *kernel.Kernels {
	return pickKernels(&s.choice, name, s.Variants, isa)
}

// Gemm computes out = a*b, or by opt alpha*a*b + beta*out. a is m x k, b is k x n and
// out is m x n, each with any strides.
//
// Products are summed over k in an order that depends on shapes and strides only. Assembly
// fuses each product with its addition; the portable code rounds it first. Every product
// is formed, so 0*Inf is NaN, NaN spreads as IEEE 754 says, and denormals are kept. With
// a Semiring of its own the product is that of a semiring. A sum is its Plus over k, in
// that order within blocks of k and from block to block. The sum of nothing is Zero, and
// there is neither alpha nor beta.
//
// It panics before any element is read. The error is a [layout.ShapeError] if shapes do
// not agree, a slice is too short, two elements of out share a place, out visibly shares
// memory with a or b, or opt.B is not made of b. It is a [run.OptionError] or a
// [run.ISAError] if Gemm cannot do what opt asks for.
func (s *Set[T]) Gemm(opt run.Options, out, a, b layout.Matrix[T]) {
	s.Ref(s.Name, &opt, &out, &a, &b)
}

// Ref is Gemm by reference, which leaves all four as they are. name is what errors call
// the function unless opt.Caller says.
func (s *Set[T]) Ref(name string, opt *run.Options, out, a, b *layout.Matrix[T]) {
	w := workers.Get()
	small := s.smallOn(w, opt, out, a, b)
	workers.Put(w)
	if !small {
		s.Large(name, opt, out, a, b)
	}
}

// Large is Ref without the short way for small products.
func (s *Set[T]) Large(name string, opt *run.Options, out, a, b *layout.Matrix[T]) {
	s.any(opt.Name(name), *opt, *out, *a, *b)
}

// any is Large. It stands apart so that small products do not pay for its frame.
func (s *Set[T]) any(name string, opt run.Options, out, a, b layout.Matrix[T]) {
	kern, pre := s.check(name, &opt, &out, &a, &b)
	if s.Semiring != nil {
		s.semiring(opt, kern, pre, out, a, b)
		return
	}
	alpha, beta := factorsOf[T](name, &opt)
	s.multiplyConj(kern, work.Allowed(opt.Threads), opt.Conj, alpha, a, b, beta, out, pre)
}

// factorsOf returns alpha and beta, or panics if they are not of T.
func factorsOf[T dtype.Number](name string, opt *run.Options) (alpha, beta T) {
	if !dtype.Of[T]().Complex() {
		run.CheckReal(name, &opt.Scaling)
	}
	alpha, beta, _ = kernel.FactorsOf[T](&opt.Scaling)
	return alpha, beta
}

// multiply computes out = alpha*a*b + beta*out of operands that were checked.
func (s *Set[T]) multiply(kern *kernel.Kernels, threads int, alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T], pre *run.Packed) {
	s.multiplyConj(kern, threads, 0, alpha, a, b, beta, out, pre)
}

// multiplyConj is multiply with operands of complex numbers conjugated.
func (s *Set[T]) multiplyConj(kern *kernel.Kernels, threads int, conj run.Conjugates, alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T], pre *run.Packed) {
	switch {
	case out.Rows == 0 || out.Cols == 0:
		return
	case a.Cols == 0 || alpha == 0:
		mem.Scale(out, beta)
		return
	}
	if kern == nil {
		portableConj(threads, conj, alpha, a, b, beta, out)
		return
	}
	mem.Normalize(&out)
	mem.Normalize(&a)
	mem.Normalize(&b)
	if out.ColStride != 1 && out.RowStride == 1 && s.Shape == (Shape{}) { // a column-major product is a row-major one of transposes
		out, a, b, conj = out.T(), b.T(), a.T(), conj.T()
		pre = nil // it is of the operand that comes first now
	}
	j := jobs.Get()
	j.product = productOf(kern, conj, alpha, a, b, beta, out)
	j.pre = pre
	j.compute(threads)
	putJob(j)
}

// productOf is out = alpha*a*b + beta*out, of matrices that are normalised.
func productOf[T dtype.Number](kern *kernel.Kernels, conj run.Conjugates, alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T]) product {
	p := product{
		kern: kern, size: dtype.Of[T]().Size(),
		a: mem.OperandOf(a), b: mem.OperandOf(b), c: mem.OperandOf(out),
		ta: dtype.Of[T](), tb: dtype.Of[T](),
		m: out.Rows, n: out.Cols, k: a.Cols,
		alpha: mem.BitsOf(alpha), beta: mem.BitsOf(beta), one: mem.BitsOf(T(1)),
		mode: kernel.ModeOf(alpha, beta),
	}
	if kern.Paired() {
		p.pair = pairingOf(complexNumbers, conj, alpha, beta)
		var f kernel.Pair
		p.mode = p.pair.set(&f, p.size, false)
	}
	return p
}

// check panics if a call is not what this product can do. It returns the variant to run,
// nil for the portable code, and what of b is packed, or nil.
func (s *Set[T]) check(name string, opt *run.Options, out, a, b *layout.Matrix[T]) (*kernel.Kernels, *run.Packed) {
	run.CheckThreads(name, opt.Threads)
	factorsOf[T](name, opt) // of a batch before its workers begin
	if s.Semiring != nil && opt.Conj != 0 {
		panic(run.OptionError{What: name, Why: "conjugates belong to sums of products, this is another semiring; leave Options.Conj unset"})
	}
	if s.Semiring != nil && opt.Scaling.On() {
		panic(run.OptionError{What: name, Why: "alpha and beta belong to sums of products, this is another semiring; leave Options.Scaling unset"})
	}
	checkShapes(name, out, a, b)
	CheckShape(name, s.Shape, out.Rows, out.Cols, a.Cols)
	kern := s.pick(name, opt.ISA)
	return kern, usePacked(opt.B, name, unsafe.Pointer(s), kern, b)
}

func checkShapes[A, B, Out dtype.Elem](name string, out *layout.Matrix[Out], a *layout.Matrix[A], b *layout.Matrix[B]) {
	checkProduct(name, out, a, b)
	if mem.Touch(out.Data, a.Data) && mem.Overlaps(*out, *a) || mem.Touch(out.Data, b.Data) && mem.Overlaps(*out, *b) {
		panic(layout.ShapeError{What: name, Why: overlap})
	}
}

// checkProduct is checkShapes but for what operands share.
func checkProduct[A, B, Out dtype.Elem](name string, out *layout.Matrix[Out], a *layout.Matrix[A], b *layout.Matrix[B]) {
	checkViews(name, viewOf(out), viewOf(a), viewOf(b))
}

// checkViews is checkProduct, compiled once.
func checkViews(name string, out, a, b layout.View) {
	if a.Cols != b.Rows || out.Rows != a.Rows || out.Cols != b.Cols {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf("out is %d x %d, a is %d x %d, b is %d x %d; want m x n, m x k, k x n",
			out.Rows, out.Cols, a.Rows, a.Cols, b.Rows, b.Cols)})
	}
	checkDepth(name, a.Cols)
	refuseError(name, out.CheckOut("out"))
	refuseError(name, a.Check("a"))
	refuseError(name, b.Check("b"))
}

// refuseError panics if there is an error of a matrix.
func refuseError(name string, err error) {
	if err != nil {
		panic(layout.ShapeError{What: name, Why: err.Error()})
	}
}

func viewOf[T dtype.Elem](m *layout.Matrix[T]) layout.View {
	return layout.View{Len: len(m.Data), Rows: m.Rows, Cols: m.Cols, RowStride: m.RowStride, ColStride: m.ColStride}
}
