package cpu

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Options change how one call runs; see [run.Options].
type Options = run.Options

// Scale returns the factors of out = alpha*a*b + beta*out, for Options.Scaling.
func Scale(alpha, beta float64) run.Scaling { return run.Scale(alpha, beta) }

// ScaleComplex is [Scale] for products of complex numbers.
func ScaleComplex(alpha, beta complex128) run.Scaling { return run.ScaleComplex(alpha, beta) }

// ConjA and ConjB, or both joined by |, are for Options.Conj: a product of complex numbers takes
// the conjugates of these operands. With x.T() that is the Hermitian transpose.
const (
	ConjA = run.ConjA
	ConjB = run.ConjB
)

// MatMul computes out = a*b for real or complex numbers: a is m x k, b is k x n and out
// is m x n. Each may be row-major, column-major, a part of a larger matrix or strided in
// both directions. A transposed operand is x.T().
//
// Every product is formed: assembly fuses it with its addition, the portable code rounds
// it first. So NaN and 0*Inf spread as IEEE 754 says, where gonum skips zeros in a, and
// denormals are kept. The result does not depend on the number of threads, bit for bit.
//
// MatMul panics with a [layout.ShapeError], before it reads an element, in these cases:
// the shapes do not agree, a slice is too short, two elements of out share a place, or
// addresses and strides show that out shares memory with a or b.
//
// You may call it from any number of goroutines at once.
func MatMul[T dtype.Number](out, a, b layout.Matrix[T]) {
	if pairs[T]() {
		complexProduct("cpu.MatMul", &Options{}, &out, &a, &b)
	} else if unsafe.Sizeof(*new(T)) == 4 { // a type switch would copy what small products cannot afford to
		gemmf.SGEMMRef("cpu.MatMul", &Options{}, as[float32](unsafe.Pointer(&out)), as[float32](unsafe.Pointer(&a)), as[float32](unsafe.Pointer(&b)))
	} else {
		gemmf.DGEMMRef("cpu.MatMul", &Options{}, as[float64](unsafe.Pointer(&out)), as[float64](unsafe.Pointer(&a)), as[float64](unsafe.Pointer(&b)))
	}
}

// MatMulOpt is [MatMul] with options: threads, a forced ISA, a packed b, or conjugates. With Scaling
// it computes out = alpha*a*b + beta*out, which reads out only if beta is not 0. It panics with a
// [run.OptionError] or a [run.ISAError] if it cannot do what they ask for.
func MatMulOpt[T dtype.Number](opt Options, out, a, b layout.Matrix[T]) {
	if pairs[T]() {
		complexProduct("cpu.MatMulOpt", &opt, &out, &a, &b)
	} else if unsafe.Sizeof(*new(T)) == 4 {
		gemmf.SGEMMRef("cpu.MatMulOpt", &opt, as[float32](unsafe.Pointer(&out)), as[float32](unsafe.Pointer(&a)), as[float32](unsafe.Pointer(&b)))
	} else {
		gemmf.DGEMMRef("cpu.MatMulOpt", &opt, as[float64](unsafe.Pointer(&out)), as[float64](unsafe.Pointer(&a)), as[float64](unsafe.Pointer(&b)))
	}
}

// as returns the matrix at x, whose elements are of type T, as what it is. If it had the type of x as another parameter, programs
// would link what prints matrices of all types that a call might have had.
func as[T dtype.Elem](x unsafe.Pointer) *layout.Matrix[T] { return (*layout.Matrix[T])(x) }

// Pack copies b into the order in which products read it. Put the result into Options.B
// of calls with this b, such as the weights of a layer. A call with another matrix, or
// another view of b such as b.T(), panics with a [layout.ShapeError]. A call cannot see
// that elements of b have changed. The copy is for the best ISA of the machine, or the one
// that TILESMITH_ISA forces; a call that runs on another one panics likewise. See
// [run.Packed].
//
// Pack panics with a ShapeError if b's slice is too short. It also panics if the copy would
// take more than 1 GB and more than four times the memory of the slice. Columns are padded
// to whole vectors. That happens to a b with strides of 0, and to a huge one with few
// columns. With one column of float32 and vectors of 16, it happens from 1<<24 rows on. Do
// not pack such a b.
func Pack[T dtype.Float](b layout.Matrix[T]) *run.Packed {
	switch b := any(b).(type) {
	case layout.Matrix[float32]:
		return dense.Pack(gemmf.SGEMMSet(), nil, Options{Caller: "cpu.Pack"}, b)
	case layout.Matrix[float64]:
		return dense.Pack(gemmf.DGEMMSet(), nil, Options{Caller: "cpu.Pack"}, b)
	}
	return nil // unreachable: Float is closed
}

// SetThreads sets how many goroutines a call may use; 0 restores the default,
// which is TILESMITH_THREADS or else GOMAXPROCS. It counts for later calls. It panics with
// a [run.OptionError] if n is negative.
func SetThreads(n int) {
	run.CheckThreads("cpu.SetThreads", n)
	run.SetThreads(n)
}

// Threads returns how many goroutines a call may use.
func Threads() int { return run.Threads() }

// ISAs lists the variants of kernels that run on this machine, best first. The
// last is always "go". TILESMITH_ISA and Options.ISA force one of them.
func ISAs() []string { return run.ISAs() }
