package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Mixed is all variants of one product whose operands, sums and result may be of different
// types: what [Set] is to products of one type. It holds its types as values; the result is
// of the type that a call asks for. Like a Set it is a package-level variable of generated
// code.
type Mixed struct {
	Name     string
	A, B     dtype.Type // of the operands, whose numbers must all be such of Acc
	Acc      dtype.Type // of the sums
	Variants []*kernel.Kernels

	choice choose.Choice
	set    unsafe.Pointer // the Set that it belongs to, if to one
}

// Mixed returns the kernels of s for results of other types. Each of the two takes what
// the other packs.
func (s *Set[T]) Mixed() *Mixed {
	s.mixed.Do(func() {
		t := dtype.Of[T]()
		s.mixed.Mixed = Mixed{Name: s.Name, A: t, B: t, Acc: t, Variants: s.Variants, set: unsafe.Pointer(s)}
	})
	return &s.mixed.Mixed
}

// owner is what packed operands belong to.
func (s *Mixed) owner() unsafe.Pointer {
	if s.set != nil {
		return s.set
	}
	return unsafe.Pointer(s)
}

// MixedGemm computes out = a*b, or by opt alpha*a*b + beta*out. a is m x k, b is k x n and
// out is m x n, each with any strides. name is what errors call the function unless
// opt.Caller says.
//
// Elements of a and b become Acc, which changes no number, and products and sums are of
// Acc; the finished sum is rounded once to Out. Sums of integers wrap as Go's int32 does,
// so they equal those of int64 modulo 2^32, whatever their order. [SafeDepth] says up to
// which k none can wrap, and Options.NoWrap refuses deeper products. For sums of integers
// alpha must be 1, and beta 0 or 1. Otherwise the rules of [Set.Gemm] hold for the order
// of sums, NaN, shapes and overlap, and it panics as that does. It panics with a
// [run.TypeError] if s is of other types or there is no such result, and with a
// [run.WrapError] where NoWrap refuses.
func MixedGemm[Acc dtype.Sum, A, B, Out dtype.Elem](s *Mixed, name string, opt *run.Options, out *layout.Matrix[Out], a *layout.Matrix[A], b *layout.Matrix[B]) {
	MixedGemmTo[Acc](s, nil, name, opt, out, a, b)
}

// MixedGemmTo is [MixedGemm] whose sums become elements of out by the kernels of to, each tile
// while it is in L1; it may be nil. They must round as Go does. They leave some things to a step
// after the product: alpha and beta, and an out that does not lie by rows.
func MixedGemmTo[Acc dtype.Sum, A, B, Out dtype.Elem](s *Mixed, to *Each, name string, opt *run.Options, out *layout.Matrix[Out], a *layout.Matrix[A], b *layout.Matrix[B]) {
	name = opt.Name(name)
	c := checkMixed[Acc](s, name, opt, out, a, b)
	c.to = to
	if out.Rows == 0 || out.Cols == 0 {
		return
	}
	c.run(work.Allowed(opt.Threads), operandOf[Acc](*out), operandOf[Acc](*a), operandOf[Acc](*b))
}

// pick returns the variant to run, nil for the portable code, or panics in the name of
// the function that was called. A product that is plain Go on every machine heeds
// TILESMITH_ISA only in that the machine must have what it names.
func (s *Mixed) pick(name, isa string) *kernel.Kernels {
	if len(s.Variants) == 0 && isa == "" {
		if s.choice.Best() == 0 {
			run.UseISA()
			s.choice.Force(1)
		}
		return nil
	}
	return pickKernels(&s.choice, name, s.Variants, isa)
}

// mixedCall is what a checked call comes down to.
type mixedCall[Acc dtype.Sum] struct {
	alpha, beta Acc
	kern        *kernel.Kernels // nil: the portable code
	pre         *run.Packed     // b, packed beforehand; or nil
	to          *Each           // rounds sums; or nil
}

// run computes a product.
func (c *mixedCall[Acc]) run(threads int, out, a, b operand[Acc]) {
	if !c.assembled(threads, out, a, b) {
		portableMixed(threads, c.alpha, a, b, c.beta, out)
	}
}

// runOn is run on one goroutine, which has a worker.
func (c *mixedCall[Acc]) runOn(w *worker, out, a, b operand[Acc]) {
	if !c.assembled(1, out, a, b) {
		genericTo(c.alpha, a, b, c.beta, out, bufOf[Acc](w))
	}
}

// checkMixed panics if a call is not what s can do.
func checkMixed[Acc dtype.Sum, A, B, Out dtype.Elem](s *Mixed, name string, opt *run.Options, out *layout.Matrix[Out], a *layout.Matrix[A], b *layout.Matrix[B]) (c mixedCall[Acc]) {
	checkTypes(name, s, dtype.Of[A](), dtype.Of[B](), dtype.Of[Acc](), dtype.Of[Out]())
	run.CheckThreads(name, opt.Threads)
	checkShapes(name, out, a, b)
	checkWrap(name, opt, s.A, s.B, s.Acc, a.Cols, 0, 0)
	c.alpha, c.beta = factors[Acc](name, opt)
	c.kern = s.pick(name, opt.ISA)
	c.pre = usePacked(opt.B, name, s.owner(), c.kern, b)
	return c
}

// factors returns alpha and beta of sums of Acc.
func factors[Acc dtype.Sum](name string, opt *run.Options) (alpha, beta Acc) {
	run.CheckReal(name, &opt.Scaling)
	x, y := opt.Scaling.Factors()
	if dtype.Of[Acc]() == dtype.I32 && (x != 1 || y != 0 && y != 1) {
		panic(run.OptionError{What: name, Why: "sums of int32 are not scaled, Options.Scaling is " + opt.Scaling.String() +
			"; want alpha 1, and beta 0, or 1 to add to out"})
	}
	return Acc(x), Acc(y)
}

// MixedPack packs b for later calls with this b, whatever their result is; see [Set.Pack].
func MixedPack[Acc dtype.Sum, B dtype.Elem](s *Mixed, name string, opt run.Options, b layout.Matrix[B]) *run.Packed {
	return MixedPackInto[Acc](new(run.Packed), s, name, opt, b)
}

// MixedPackInto is [MixedPack] with the memory of p, as [Set.PackInto].
func MixedPackInto[Acc dtype.Sum, B dtype.Elem](p *run.Packed, s *Mixed, name string, opt run.Options, b layout.Matrix[B]) *run.Packed {
	name = opt.Name(name)
	checkTypes(name, s, s.A, dtype.Of[B](), dtype.Of[Acc](), dtype.Of[Acc]())
	checkPackOptions(name, &opt)
	pack(p, name, s.owner(), s.pick(name, opt.ISA), s.Acc.Size(), b)
	p.Wraps = s.Acc == dtype.I32 && b.Rows > SafeDepth(s.A, s.B)
	return p
}
