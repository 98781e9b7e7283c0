package dense

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/sums"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Set is all variants of one kernel, whose sums are of type T. Generated packages hold one
// per spec, as a package-level variable. Only the spec's entry points refer to it, so the
// linker drops what a program does not call.
type Set[T dtype.AnySum] struct {
	Name     string
	A, B     dtype.Type        // of the operands, whose numbers must all be such of T; 0: T
	Shape    tiling.Shape      // that the kernels are for
	Variants []*kernel.Kernels // best first; none without assembly
	// Semiring is the arithmetic of products that are not sums of products. It is a
	// function since a variable that holds an infinite Zero would take code that runs
	// before main.
	Semiring func() semiring.Semiring[T]
	// Epilogue is the epilogue in Go, of products that [Fuse] computes.
	Epilogue kernel.Func[kernel.EpiArgs]
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
	w := workers.Get()
	small := s.smallOn(w, opt, out, a, b)
	workers.Put(w)
	if !small {
		s.Large(name, opt, out, a, b)
	}
}

// Large is [Set.Ref] without the short way for small products, for those who took it in vain. It stands apart so that
// small ones do not pay for its frame.
func (s *Set[T]) Large(name string, opt *run.Options, out, a, b *layout.Matrix[T]) {
	large(&Call[T]{Set: s, Name: name}, opt, out, a, b)
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
func (s *Set[T]) pick(name, isa string) *kernel.Kernels {
	if len(s.Variants) == 0 && isa == "" && s.A != dtype.Invalid {
		if s.choice.Best() == 0 {
			run.UseISA()
			s.choice.Force(1)
		}
		return nil
	}
	return choose.Pick(&s.choice, name, s.Variants, isaOf, isa)
}

// checkTypes is CheckTypes for a call of s.
func (s *Set[T]) checkTypes(name string, a, b, out dtype.Type) {
	acc := dtype.Of[T]()
	sums.CheckTypes(name, a, b, acc, out)
	if x, y := s.types(); a != x || b != y {
		panic(run.TypeError{What: name, Why: fmt.Sprintf("%s is of %s and %s with sums of %s, the call of %s and %s with sums of %[4]s",
			s.Name, x.Go(), y.Go(), acc.Go(), a.Go(), b.Go())})
	}
}

// SafeDepth returns the largest k for which no sum of k products of an a and a b can leave
// int32, whatever they are. It is 131071 for two of int8, 65793 for uint8 and int8, 33025
// for two of uint8, and 1 for two of int16. It is 0 for types that are not summed in
// int32.
func SafeDepth(a, b dtype.Type) int { return sums.SafeDepth(a, b) }

// CheckWrap panics with a [run.WrapError] in the name of the function that was called if sums
// may wrap. They are of k products of elements of a and b, less their zero points. It also
// panics if they may wrap when a bias is added.
func CheckWrap(name string, a, b dtype.Type, k int, za, zb int32, bias []int32) {
	sums.CheckWrap(name, a, b, k, za, zb, bias)
}

func isaOf(k *kernel.Kernels) string {
	if k == nil {
		return run.Portable
	}
	return k.ISA
}

// inGo has the products without assembly, by the types of their operands and sums, each a *Set of these.
var inGo [dtype.C128 + 1][dtype.C128 + 1][dtype.C128 + 1]unsafe.Pointer

// InGo returns the product of elements of a and b with sums of T in plain Go, for which
// no kernels were generated. It panics with a [run.TypeError] in the name of the function
// that was called if there is no such product.
func InGo[T dtype.AnySum](name string, a, b dtype.Type) *Set[T] {
	acc := dtype.Of[T]()
	sums.CheckTypes(name, a, b, acc, acc)
	at := &inGo[a][b][acc]
	if s := (*Set[T])(atomic.LoadPointer(at)); s != nil {
		return s
	}
	atomic.CompareAndSwapPointer(at, nil, unsafe.Pointer(&Set[T]{Name: "dense.InGo", A: a, B: b}))
	return (*Set[T])(atomic.LoadPointer(at))
}
