package cpu

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmf32"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmf64"
	"github.com/tilesmith/tilesmith/cpu/run"
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

// MatMul computes out = a*b, of real or complex numbers: a is m x k, b is k x n and out is m x n. Each may be
// row-major, column-major, a part of a larger matrix or strided in both
// directions; a transposed operand is x.T().
//
// Every product is formed (assembly fuses it with its addition, the portable code
// rounds it first), so NaN and 0*Inf spread as IEEE 754 says (gonum skips zeros in a), and denormals are kept. The result does
// not depend on the number of threads, bit for bit. MatMul panics with a
// [layout.ShapeError], before an element is read, if the shapes do not agree, a
// slice is too short, two elements of out share a place, or out shares memory
// with a or b as far as that can be seen from addresses and strides.
//
// It may be called from any number of goroutines at once.
func MatMul[T dtype.Number](out, a, b layout.Matrix[T]) {
	if pairs[T]() {
		complexProduct("cpu.MatMul", &Options{}, &out, &a, &b)
	} else if unsafe.Sizeof(*new(T)) == 4 { // a type switch would copy what small products cannot afford to
		gemmf32.SGEMMRef("cpu.MatMul", &Options{}, as[float32](&out), as[float32](&a), as[float32](&b))
	} else {
		gemmf64.DGEMMRef("cpu.MatMul", &Options{}, as[float64](&out), as[float64](&a), as[float64](&b))
	}
}

// MatMulOpt is [MatMul] with options: threads, a forced ISA, a packed b, conjugates, or with Scaling
// out = alpha*a*b + beta*out, which reads out only if beta is not 0. It panics with a
// [run.OptionError] or a [run.ISAError] if it cannot do what they ask for.
func MatMulOpt[T dtype.Number](opt Options, out, a, b layout.Matrix[T]) {
	if pairs[T]() {
		complexProduct("cpu.MatMulOpt", &opt, &out, &a, &b)
	} else if unsafe.Sizeof(*new(T)) == 4 {
		gemmf32.SGEMMRef("cpu.MatMulOpt", &opt, as[float32](&out), as[float32](&a), as[float32](&b))
	} else {
		gemmf64.DGEMMRef("cpu.MatMulOpt", &opt, as[float64](&out), as[float64](&a), as[float64](&b))
	}
}

// as returns x as what it is: T and U are the same type.
func as[U, T dtype.Elem](x *layout.Matrix[T]) *layout.Matrix[U] {
	return (*layout.Matrix[U])(unsafe.Pointer(x))
}

// Pack copies b into the order in which products read it; put the result into
// Options.B of calls with this b, such as the weights of a layer. A call with another
// matrix, another view of it, such as b.T(), or an element of b that has changed is no such
// call: the first two panic with a [layout.ShapeError], the last cannot be seen. The copy
// is for the ISA that is best at this moment, or that TILESMITH_ISA
// forces: a call that runs on another one, by Options.ISA say, panics likewise.
// See [run.Packed].
//
// Pack itself panics with one if b's slice is too short, or if the copy would take more
// than 1 GB and more than four times what the slice does. Columns are padded to whole
// vectors, so besides a b with strides of 0 that is a huge one with few columns: with one
// column of float32 and vectors of 16, more than 1<<24 rows. Products with such a b
// are best without a copy.
func Pack[T dtype.Float](b layout.Matrix[T]) *run.Packed {
	switch b := any(b).(type) {
	case layout.Matrix[float32]:
		return gemmf32.SGEMMSet().Pack(Options{Caller: "cpu.Pack"}, b)
	case layout.Matrix[float64]:
		return gemmf64.DGEMMSet().Pack(Options{Caller: "cpu.Pack"}, b)
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
