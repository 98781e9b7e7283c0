package cpu

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Triangle says which part of a square matrix there is: one side of the diagonal, with
// the diagonal. The rest is neither read nor written, and may hold anything, such as
// another matrix. The triangle of x.T() is t.T().
//
//	Lower    Upper    UnitLower   UnitUpper
//	x . .    x x x      1 . .       1 x x
//	x x .    . x x      x 1 .       . 1 x
//	x x x    . . x      x x 1       . . 1
//
// A unit triangle's ones are not read.
type Triangle = dense.Triangle

// The triangles.
const (
	Lower     = dense.Lower
	Upper     = dense.Upper
	UnitLower = dense.UnitLower
	UnitUpper = dense.UnitUpper
)

// Symm computes out = a*b for a symmetric m x m matrix a. It reads triangle t of a,
// [Lower] or [Upper]; b and out are m x n. out = b*a is Symm(t, out.T(), a, b.T()).
//
// This and the other functions of triangles differ from [MatMul] only in which elements exist.
// Matrices may have any strides. Every product of existing elements is formed, so NaN and
// 0*Inf spread. Results do not depend on the number of threads, and any number of goroutines
// may call them at once.
//
// They panic, before they read an element, with a [layout.ShapeError] in these cases: shapes
// do not agree, the matrix of the triangle is not square, a slice is too short, two elements
// of the result share a place, or addresses and strides show that the result shares an
// element with an operand. The result may be in one matrix with the triangle of an operand,
// as an operand may with the triangle of a result. They panic with a [run.OptionError] if t
// does not fit, if they cannot do what the options ask for, or if there is more than one
// Options.
//
// Options may follow: out = alpha*a*b + beta*out, threads, a forced ISA. There is no packed b.
func Symm[T dtype.Float](t Triangle, out, a, b layout.Matrix[T], opt ...Options) {
	setOf[T]().GemmSymmetric(optional("cpu.Symm", opt), t, out, a, b)
}

// Syrk computes triangle t, [Lower] or [Upper], of out = a*aᵀ: a is n x k, out is n x n.
// aᵀ*a is Syrk(t, out, a.T()). Panics are those of [Symm].
//
// Options may follow: out = alpha*a*aᵀ + beta*out, threads, a forced ISA.
func Syrk[T dtype.Float](t Triangle, out, a layout.Matrix[T], opt ...Options) {
	setOf[T]().GemmTriangle(optional("cpu.Syrk", opt), t, out, a, a.T())
}

// Syr2k computes triangle t, [Lower] or [Upper], of out = a*bᵀ + b*aᵀ: a and b are n x k,
// out is n x n. Panics are those of [Symm].
//
// Options may follow: out = alpha*(a*bᵀ + b*aᵀ) + beta*out, threads, a forced ISA.
func Syr2k[T dtype.Float](t Triangle, out, a, b layout.Matrix[T], opt ...Options) {
	setOf[T]().GemmTriangle2(optional("cpu.Syr2k", opt), t, out, a, b)
}

// MatMulTriangle computes triangle t, [Lower] or [Upper], of out = a*b: a is n x k, b is
// k x n and out is n x n. Use it like [Syrk] for products that you know to be symmetric,
// such as a*s*aᵀ. It panics where [Symm] does.
//
// Options may follow: out = alpha*a*b + beta*out, threads, a forced ISA.
func MatMulTriangle[T dtype.Float](t Triangle, out, a, b layout.Matrix[T], opt ...Options) {
	setOf[T]().GemmTriangle(optional("cpu.MatMulTriangle", opt), t, out, a, b)
}

// Trmm computes b = a*b in place for a triangular m x m matrix a. It reads triangle t of a; b
// is m x n. b*a is Trmm(t.T(), a.T(), b.T()). Panics are those of [Symm].
//
// Options may follow: b = alpha*a*b, threads, a forced ISA. A beta panics with a
// [run.OptionError].
func Trmm[T dtype.Float](t Triangle, a, b layout.Matrix[T], opt ...Options) {
	setOf[T]().MulTriangular(optional("cpu.Trmm", opt), t, a, b)
}

// Trsm solves a*x = b for a triangular m x m matrix a and sets b to x. It reads triangle t of a; b is m x
// n. That of x*a = b is Trsm(t.T(), a.T(), b.T()). A zero on the diagonal is divided by, which leaves Inf
// and NaN: whoever cannot have them looks first. Panics are those of [Symm].
//
// Options may follow: a*x = alpha*b, threads, a forced ISA. A beta panics with a
// [run.OptionError].
func Trsm[T dtype.Float](t Triangle, a, b layout.Matrix[T], opt ...Options) {
	setOf[T]().SolveTriangular(optional("cpu.Trsm", opt), t, a, b)
}

// optional returns the options that end the arguments of the function called own, or none.
func optional(own string, opt []Options) (o Options) {
	if len(opt) > 1 {
		panic(run.OptionError{What: opt[0].Name(own), Why: fmt.Sprintf("%d Options; want one or none", len(opt))})
	}
	if len(opt) == 1 {
		o = opt[0]
	}
	o.Caller = o.Name(own)
	return o
}

// setOf returns the stock kernels for T, and lets the linker drop those for other types.
func setOf[T dtype.Float]() *dense.Set[T] {
	if unsafe.Sizeof(*new(T)) == 4 {
		return setAs[T](unsafe.Pointer(gemmf.SGEMMSet()))
	}
	return setAs[T](unsafe.Pointer(gemmf.DGEMMSet()))
}
