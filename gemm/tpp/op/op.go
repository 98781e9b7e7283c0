// Package op has the elementwise operators of tensor processing primitives as ordinary Go
// functions (Georganas and others, "Tensor processing primitives", 2021). Equations of package
// tpp and any other Go code can call them. It imports math and the element types; activations
// are in package act.
//
// Each call of math is T(math.F(float64(e))), which the translator reads as one operation of
// type T. NaN gives NaN, except in comparisons such as Greater, which give 0.
package op

import "math"

// Float is the type an operator computes in.
type Float interface {
	float32 | float64
}

// Add returns x + y.
func Add[T Float](x, y T) T { return x + y }

// Sub returns x - y.
func Sub[T Float](x, y T) T { return x - y }

// Mul returns x * y.
func Mul[T Float](x, y T) T { return x * y }

// Div returns x / y.
func Div[T Float](x, y T) T { return x / y }

// Max returns the greater of x and y, NaN if one is, and +0 of two zeros.
func Max[T Float](x, y T) T { return max(x, y) }

// Min returns the lesser of x and y, NaN if one is, and -0 of two zeros.
func Min[T Float](x, y T) T { return min(x, y) }

// MulAdd returns x*y + z, which may be rounded once.
func MulAdd[T Float](x, y, z T) T { return x*y + z }

// NMulAdd returns z - x*y, which may be rounded once.
func NMulAdd[T Float](x, y, z T) T { return z - x*y }

// Select returns x where c is not 0 and y elsewhere.
func Select[T Float](c, x, y T) T {
	if c != 0 {
		return x
	}
	return y
}

// Greater returns 1 if x > y and 0 otherwise.
func Greater[T Float](x, y T) T {
	if x > y {
		return 1
	}
	return 0
}

// AtLeast returns 1 if x >= y and 0 otherwise.
func AtLeast[T Float](x, y T) T {
	if x >= y {
		return 1
	}
	return 0
}

// Equal returns 1 if x == y and 0 otherwise.
func Equal[T Float](x, y T) T {
	if x == y {
		return 1
	}
	return 0
}

// Neg returns -x.
func Neg[T Float](x T) T { return -x }

// Inc returns x + 1.
func Inc[T Float](x T) T { return x + 1 }

// Square returns x * x.
func Square[T Float](x T) T { return x * x }

// Abs returns x without its sign.
func Abs[T Float](x T) T { return T(math.Abs(float64(x))) }

// Sqrt returns the square root of x.
func Sqrt[T Float](x T) T { return T(math.Sqrt(float64(x))) }

// Reciprocal returns 1/x.
func Reciprocal[T Float](x T) T { return 1 / x }

// RSqrt returns 1/sqrt(x), of two roundings.
func RSqrt[T Float](x T) T { return 1 / T(math.Sqrt(float64(x))) }

// Exp returns e^x.
func Exp[T Float](x T) T { return T(math.Exp(float64(x))) }

// Log returns the natural logarithm of x.
func Log[T Float](x T) T { return T(math.Log(float64(x))) }

// Real is x as a float, rounded: of sums of integers.
func Real[T Float](x int32) T { return T(x) }

// Keep returns x*scale if a random word, taken without sign, is at least drop, and 0
// otherwise. That is a step of dropout with probability drop/2^32. A dropped NaN
// becomes 0 as well.
func Keep[T Float](x T, word, drop int32, scale T) T {
	if uint32(word) < uint32(drop) {
		return 0
	}
	return x * scale
}

// Shift returns x, but 0 for -Inf. Softmax subtracts it from the elements of a row, so that
// an empty row does not compute -Inf minus -Inf.
func Shift[T Float](x T) T {
	if x == T(math.Inf(-1)) {
		return 0
	}
	return x
}

// Share returns 1/x, but 0 for 0: what softmax multiplies by, whose sum is 0 where a row has
// nothing.
func Share[T Float](x T) T {
	if x == 0 {
		return 0
	}
	return 1 / x
}

// LogShare returns the logarithm of x, but 0 for 0, likewise.
func LogShare[T Float](x T) T {
	if x == 0 {
		return 0
	}
	return T(math.Log(float64(x)))
}

// First returns x, which has an element for each of y in an equation.
func First[T Float](x, y T) T { return x }

// Where returns g where x is most and 0 elsewhere: the gradient of a maximum most.
func Where[T Float](x, most, g T) T {
	if x == most {
		return g
	}
	return 0
}

// Positive returns 1 if x is greater than 0, else 0: a mask of [act.ReLU].
//
// [act.ReLU]: https://pkg.go.dev/github.com/tilesmith/tilesmith/gemm/act#ReLU
func Positive[T Float](x T) T {
	if x > 0 {
		return 1
	}
	return 0
}

// Only returns x where mask is not 0, else 0.
func Only[T Float](mask, x T) T {
	if mask != 0 {
		return x
	}
	return 0
}

// Kept returns 1 where [Keep] keeps, else 0.
func Kept[T Float](word, drop int32) T {
	if uint32(word) < uint32(drop) {
		return 0
	}
	return 1
}

// At returns j where x is best or NaN, else the largest int32: the least of a row is where the
// row's best element is.
func At[T Float](x, best T, j int32) int32 {
	if x == best || x != x {
		return j
	}
	return math.MaxInt32
}

// Found returns j, but -1 for the largest int32.
func Found(j int32) int32 {
	if j == math.MaxInt32 {
		return -1
	}
	return j
}
