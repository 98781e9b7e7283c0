package dense

import (
	"sync"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Set is all variants of one kernel, whose sums are of type T. Generated packages hold one
// per spec, as a package-level variable. Only the spec's entry points refer to it, so the
// linker drops what a program does not call.
type Set[T dtype.AnySum] struct {
	Name     string
	A, B     dtype.Type     // of the operands, whose numbers must all be such of T; 0: T
	Shape    Shape          // that the kernels are for
	Variants []*run.Kernels // best first; none without assembly
	// Semiring is the arithmetic of products that are not sums of products. It is a
	// function since a variable that holds an infinite Zero would take code that runs
	// before main.
	Semiring func() semiring.Semiring[T]
	// Epilogue is the epilogue in Go, of products that [Fuse] computes.
	Epilogue kernel.EpiKernel
	// ColumnSums says that Pack keeps the sums of b's columns, for a zero point of a.
	ColumnSums bool

	choice choose.Choice
}

// Gemm is [Gemm] for one product of matrices of the type of the sums.
func (s *Set[T]) Gemm(opt run.Options, out, a, b layout.Matrix[T]) {
	s.Ref(s.Name, &opt, &out, &a, &b)
}

// Ref is Gemm by reference, which leaves all four as they are. name is what errors call
// the function unless opt.Caller says.
func (s *Set[T]) Ref(name string, opt *run.Options, out, a, b *layout.Matrix[T]) {
	Gemm(Call[T]{Set: s, Name: name}, opt, out, a, b)
}

// GemmTriangle is [Set.Gemm] for a triangle of a square out, [Lower] or [Upper]: elements outside
// it are neither computed, nor read, nor written. With b = a.T() it is the symmetric update of
// rank k. With Options.Conj run.ConjB it is the Hermitian one, except for the rounding of a real
// diagonal. out's triangle may share no element with a or b. The rest of out's matrix may. A bad
// triangle is a [run.OptionError].
func (s *Set[T]) GemmTriangle(opt run.Options, t Triangle, out, a, b layout.Matrix[T]) {
	s.structured(opt, "out", t, Structure{Out: t}, out, a, b)
}

// GemmSymmetric is [Set.Gemm] for a symmetric a. It reads triangle t of a, [Lower] or
// [Upper], which stands for all of it. b*a is the transpose of a*b.T(). A bad triangle is
// a [run.OptionError].
func (s *Set[T]) GemmSymmetric(opt run.Options, t Triangle, out, a, b layout.Matrix[T]) {
	s.structured(opt, "a", t, Structure{A: t, Symmetric: true}, out, a, b)
}

// GemmHermitian is [Set.GemmSymmetric] for a Hermitian a. What triangle t holds stands for its
// conjugate across the diagonal. Only the real parts of the diagonal are read. b*a is the
// transpose of conj(a)*b.T(), for which Options.Conj has run.ConjA.
func (s *Set[T]) GemmHermitian(opt run.Options, t Triangle, out, a, b layout.Matrix[T]) {
	s.structured(opt, "a", t, Structure{A: t, Symmetric: true, Hermitian: dtype.Of[T]().Complex()}, out, a, b)
}

func (s *Set[T]) structured(opt run.Options, what string, t Triangle, is Structure, out, a, b layout.Matrix[T]) {
	if t == 0 { // which a Structure may have
		checkTriangle(opt.Name(s.Name), what, t, 0, 0, false)
	}
	Gemm(Call[T]{Set: s, Structure: is}, &opt, &out, &a, &b)
}

// types are those of the operands.
func (s *Set[T]) types() (a, b dtype.Type) {
	if a, b = s.A, s.B; a == dtype.Invalid {
		a, b = dtype.Of[T](), dtype.Of[T]()
	}
	return a, b
}

// pick returns the variant to run, nil for the portable code, or panics in the name of
// the function that was called. A product that is plain Go on every machine heeds
// TILESMITH_ISA only in that the machine must have what it names.
func (s *Set[T]) pick(name, isa string) *run.Kernels {
	if len(s.Variants) == 0 && isa == "" && s.A != dtype.Invalid {
		if s.choice.Best() == 0 {
			run.UseISA()
			s.choice.Force(1)
		}
		return nil
	}
	return choose.Pick(&s.choice, name, s.Variants, isaOf, isa)
}

func isaOf(k *run.Kernels) string {
	if k == nil {
		return run.Portable
	}
	return k.ISA
}

// inGo has the products without assembly, by the types of their operands and sums.
var inGo struct {
	sync.Mutex
	of map[[3]dtype.Type]unsafe.Pointer
}

// InGo returns the product of elements of a and b with sums of T in plain Go, for which
// no kernels were generated. It panics with a [run.TypeError] in the name of the function
// that was called if there is no such product.
func InGo[T dtype.AnySum](name string, a, b dtype.Type) *Set[T] {
	acc := dtype.Of[T]()
	CheckTypes(name, a, b, acc, acc)
	inGo.Lock()
	defer inGo.Unlock()
	types := [3]dtype.Type{a, b, acc}
	if s := (*Set[T])(inGo.of[types]); s != nil {
		return s
	}
	if inGo.of == nil {
		inGo.of = map[[3]dtype.Type]unsafe.Pointer{}
	}
	s := &Set[T]{Name: "dense.InGo", A: a, B: b}
	inGo.of[types] = unsafe.Pointer(s)
	return s
}
