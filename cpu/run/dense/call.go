package dense

import (
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/plain"
	"github.com/tilesmith/tilesmith/cpu/run/internal/sums"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Call is what [Gemm] and [Fuse] do with the kernels of a Set, besides options. Nothing but
// the Set is needed for a product of general matrices.
type Call[T dtype.AnySum] struct {
	Set       *Set[T]
	Name      string    // what errors call the function unless Options.Caller says; "": the Set's
	Structure Structure // which elements there are, if not all
	Group     *Group    // for which the product is checked and not computed; nil: it is computed
	To        *Each     // kernels that round sums to the result's type as Go does, each tile while it is in L1; or nil
}

func (c *Call[T]) name(opt *run.Options) string {
	if c.Name == "" {
		return opt.Name(c.Set.Name)
	}
	return opt.Name(c.Name)
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
// Elements of a and b become T, which changes no number, and products and sums are of
// T; the finished sum is rounded once to Out. Sums of integers wrap as Go's int32 does,
// so they equal those of int64 modulo 2^32, whatever their order. [SafeDepth] says up to
// which k none can wrap, and Options.NoWrap refuses deeper products. For sums of integers
// alpha must be 1, and beta 0 or 1.
//
// It panics before any element is read. The error is a [layout.ShapeError] if shapes do
// not agree, a slice is too short, two elements of out share a place, out visibly shares
// memory with a or b, or opt.B is not made of b. It is a [run.OptionError] or a
// [run.ISAError] if Gemm cannot do what opt asks for, a [run.TypeError] if the Set is of
// other types or there is no such result, and a [run.WrapError] where NoWrap refuses.
func Gemm[T dtype.AnySum, A, B, Out dtype.Elem](c Call[T], opt *run.Options, out *layout.Matrix[Out], a *layout.Matrix[A], b *layout.Matrix[B]) {
	if same[T, A, B, Out]() && c.Structure == (Structure{}) && c.Group == nil {
		c.Set.Ref(c.Name, opt, as[T](unsafe.Pointer(out)), as[T](unsafe.Pointer(a)), as[T](unsafe.Pointer(b)))
		return
	}
	large(&c, opt, out, a, b)
}

// large is Gemm for any product.
func large[T dtype.AnySum, A, B, Out dtype.Elem](c *Call[T], opt *run.Options, out *layout.Matrix[Out], a *layout.Matrix[A], b *layout.Matrix[B]) {
	g := checkGemm(c, opt, out, a, b)
	if c.Group != nil {
		c.Group.add(out.Rows, out.Cols, a.Cols, epi.MemoryOf("out", *out), epi.MemoryOf("a", *a), epi.MemoryOf("b", *b))
		return
	}
	g.run(work.Allowed(opt.Threads), plain.As[T](*out), plain.As[T](*a), plain.As[T](*b))
}

// same reports whether all elements are those of the sums.
func same[T dtype.AnySum, A, B, Out dtype.Elem]() bool {
	t := dtype.Of[T]()
	return dtype.Of[A]() == t && dtype.Of[B]() == t && dtype.Of[Out]() == t
}

func as[T dtype.AnySum](m unsafe.Pointer) *layout.Matrix[T] { return (*layout.Matrix[T])(m) }

// checkGemm panics if a call is not what the kernels can do.
func checkGemm[T dtype.AnySum, A, B, Out dtype.Elem](c *Call[T], opt *run.Options, out *layout.Matrix[Out], a *layout.Matrix[A], b *layout.Matrix[B]) gemm[T] {
	s, is, name := c.Set, c.Structure, c.name(opt)
	g := gemm[T]{set: s, is: is, to: c.To, conj: opt.Conj}
	g.alpha, g.beta = sums.Factors[T](name, opt) // of a batch before its workers begin
	if s.Semiring != nil {
		checkSemiring(name, opt, is)
	}
	if is.B != 0 || is.A != 0 && (is.Out != 0 || !is.Symmetric) {
		check.Call(name).RefuseOption("products without an epilogue have a triangle of out or a symmetric a; leave the rest of Call.Structure unset")
	}
	x := viewOf(out)
	s.checkTerms(name, opt, is, [3]dtype.Type{dtype.Of[A](), dtype.Of[B](), dtype.Of[Out]()}, x.Rows, x.Cols, viewOf(a), viewOf(b), [2]int32{})
	check.Call(name).Error(x.CheckOut("out"))
	if touches(is.A, a, out) && touches(is.Out, out, a) || touches(is.Out, out, b) {
		check.Call(name).Refuse(check.Overlap)
	}
	g.kern, g.pre = packedFor(s, name, opt, is, b)
	return g
}

// checkTerms panics if there are no such products, of any end: m x n sums of a*b, less zero
// points. Types are those of a, b and the result.
func (s *Set[T]) checkTerms(name string, opt *run.Options, is Structure, types [3]dtype.Type, m, n int, a, b layout.View, zeros [2]int32) {
	acc := dtype.Of[T]()
	s.checkTypes(name, types[0], types[1], types[2])
	run.CheckThreads(name, opt.Threads)
	checkStructure(is, name, acc, types, m, n, a)
	checkShapes(name, m, n, a, b)
	checkShape(name, s.Shape, m, n, a.Cols)
	sums.Safe(name, opt, types[0], types[1], acc, a.Cols, zeros[0], zeros[1])
}

// checkShapes panics if an m x n result and the operands do not agree, or do not fit in their slices.
func checkShapes(name string, m, n int, a, b layout.View) {
	if a.Cols != b.Rows || m != a.Rows || n != b.Cols {
		check.Call(name).Refuse("out is %d x %d, a is %d x %d, b is %d x %d; want m x n, m x k, k x n",
			m, n, a.Rows, a.Cols, b.Rows, b.Cols)
	}
	checkDepth(name, a.Cols)
	check.Call(name).Error(a.Check("a"))
	check.Call(name).Error(b.Check("b"))
}

// packedFor returns the variant to run, nil for the portable code, and what of b is packed, or nil.
func packedFor[T dtype.AnySum, B dtype.Elem](s *Set[T], name string, opt *run.Options, is Structure, b *layout.Matrix[B]) (*kernel.Kernels, *run.Packed) {
	kern := s.pick(name, opt.ISA)
	if is != (Structure{}) {
		check.Call(name).Unpacked(opt, general)
	}
	return kern, usePacked(opt.B, name, unsafe.Pointer(s), kern, b)
}

// general is why a product of structured matrices has no packed b.
const general = "Options.B belongs to products of general matrices; leave it nil"

func viewOf[T dtype.Elem](m *layout.Matrix[T]) layout.View {
	return layout.View{Len: len(m.Data), Rows: m.Rows, Cols: m.Cols, RowStride: m.RowStride, ColStride: m.ColStride}
}

// Fuse computes a*b and hands every finished sum to the epilogue of the Set once. The rules of
// [Gemm] hold for shapes, rounding, NaN and sums of integers. Options.NoWrap is about sums of
// what is left of elements when zero points are taken away.
func Fuse[T dtype.Sum, A, B dtype.Elem](c Call[T], opt *run.Options, e *epilogue.Epilogue, a *layout.Matrix[A], b *layout.Matrix[B]) {
	s, m, n := c.Set, e.Rows, e.Cols
	kern, pre := checkFuse(&c, opt, e, a, b)
	switch {
	case c.Group != nil:
		c.Group.memory.AddAll(c.Group.add(m, n, a.Cols, epi.Memory{}, epi.MemoryOf("a", *a), epi.MemoryOf("b", *b)), e)
		return
	case m == 0 || n == 0:
		e.Empty()
		return
	}
	threads, x, y := work.Allowed(opt.Threads), plain.As[T](*a), plain.As[T](*b)
	x.Normalize()
	y.Normalize()
	g := gemm[T]{set: s, kern: kern, pre: pre, is: c.Structure, alpha: 1}
	j := jobs.Get()
	g.fill(&j.product, mem.Operand{}, m, n, &x, &y)
	f := &j.fused
	*f = e.Fusion
	f.Portable = s.Epilogue
	// The sizes are constants: a program without products of small integers links none of int32.
	if (unsafe.Sizeof(*new(A)) <= 2 || unsafe.Sizeof(*new(B)) <= 2) && (f.ZeroA.On || f.ZeroB.On) {
		var sums []int32
		if opt.B != nil {
			sums = opt.B.Sums
		}
		zeroTerms(j, threads, plain.As[int32](*a), plain.As[int32](*b), sums)
	}
	f.PlaceScalars()
	if kern == nil {
		portableFused(j, threads, c.Structure, x, y)
	} else {
		j.computeFused(threads)
	}
	putJob(j)
}

// checkFuse is checkGemm for [Fuse].
func checkFuse[T dtype.Sum, A, B dtype.Elem](c *Call[T], opt *run.Options, e *epilogue.Epilogue, a *layout.Matrix[A], b *layout.Matrix[B]) (*kernel.Kernels, *run.Packed) {
	name, acc := e.Name, dtype.Of[T]()
	check.Call(name).Unscaled(opt, check.Fused)
	c.Set.checkTerms(name, opt, c.Structure, [3]dtype.Type{dtype.Of[A](), dtype.Of[B](), acc}, e.Rows, e.Cols, viewOf(a), viewOf(b), [2]int32{e.ZeroA.Value, e.ZeroB.Value})
	if mem.Volume(e.Rows, e.Cols, 8) == math.MaxInt { // of a result that is not stored nothing else bounds both
		check.Call(name).Refuse("a result of %d x %d is too large to count its bytes; multiply fewer rows or columns at a time", e.Rows, e.Cols)
	}
	e.CheckOverlap(epi.MemoryOf("a", *a), epi.MemoryOf("b", *b))
	return packedFor(c.Set, name, opt, Structure{B: c.Structure.B}, b)
}
