package lang

import (
	"math"

	"github.com/tilesmith/tilesmith/gemm/act"
)

// Names are of variables and constants.
func Names(x float32) float32 { return (x) * math.Pi }

type point struct{ x, y float32 }

// Struct is a complex product.
func Struct(a, b float32) (float32, float32) {
	p, q := point{x: a, y: b}, point{b, a}
	p.x = -p.x
	return p.x * q.x, p.y * q.y
}

// steps is a table: nothing writes it.
var steps = [8]float32{1, 2, 4, 8, 16, 32, 64, 128}

// Table looks one up.
func Table(x float32, i uint8) float32 { return x * steps[i&7] }

// Array sorts two.
func Array(x, y float32) float32 {
	a := [2]float32{x, y}
	if a[0] > a[1] {
		a[0], a[1] = a[1], a[0]
	}
	for _, c := range []float32{2, y} {
		a[1] *= c
	}
	return a[1] - a[0]
}

// Call calls functions of this package and another.
func Call(x float32) float32 { return act.ReLU(twice(x)) + larger(x, 1) }

func larger[T float32 | float64](x, y T) T {
	if x > y {
		return x
	}
	return y
}

// Arithmetic is of floats and of integers.
func Arithmetic(x, y float32, i, j int32) (float32, int32) {
	return (x + y) * (x - y), (i + j) * (i - j)
}

// Quotients are of floats, and of integers by powers of two.
func Quotients(x, y float32, i, j int32) (float32, int32, int32) {
	if j == 0 {
		return x / y, i / 10, i % 8
	}
	return x / y, i / j, i % j
}

// BitOperators are of integers.
func BitOperators(i, j uint16) uint16 { return (i&j | 3) ^ (j &^ i) }

// Shifts are by constants, or by what is not negative.
func Shifts(i int32, u, k uint8) (int32, uint8) {
	i <<= 3
	return i >> 5, u >> k
}

// Comparisons give truth values, which select.
func Comparisons(x, y float32, i, j uint32) (bool, bool, bool) {
	return x == y, x < y, i >= j || [2]uint32{i, j} != [2]uint32{j, i}
}

// Logic is of truth values.
func Logic(x, y float32) bool { return x > 0 && !(y > 0 || y < x) }

// Unary operators.
func Unary(x float32, i int32) (float32, int32, int32) { return +-x, -i, ^i }

// Extremes take any number of arguments.
func Extremes(x, y float32, i, j int8) (float32, int8) { return max(x, y, 0), min(i, j) }

// Length is a constant.
func Length(x float32) float32 {
	a := [...]float32{x, 1, 2}
	return x / float32(len(a)+cap(a))
}
