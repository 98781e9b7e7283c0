package fntest

import (
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Functions that are derived.

// Horner is a polynomial in a loop.
func Horner[T float32 | float64](x T) T {
	y := T(0)
	for _, c := range [4]T{1, -2, 0.5, 3} {
		y = y*x + c
	}
	return y
}

// Gate is a gated sum of three operands.
func Gate[T float32 | float64](x, gate, bias T) T {
	return T(math.Tanh(float64(x+bias))) * (1 / (1 + T(math.Exp(float64(-gate)))))
}

// Angles is two results of two operands.
func Angles[T float32 | float64](x, y T) (r, phi T) {
	return T(math.Hypot(float64(x), float64(y))), T(math.Atan2(float64(y), float64(x)))
}

// Pieces has a branch in a loop with an exit.
func Pieces[T float32 | float64](x T) T {
	y := x
	for i := range 4 {
		if y > 2 {
			break
		}
		if i&1 == 0 {
			y = y*y + 0.25
		} else {
			y = y / (1 + T(math.Abs(float64(y))))
		}
	}
	return y
}

// Steps rounds, which has derivative 0, and adds a slope.
func Steps[T float32 | float64](x T) T {
	return T(math.Floor(float64(x)))*0.25 + x*T(math.Trunc(float64(3*x)))
}

// Guarded is 1 at 0, and what would be 0/0 there elsewhere.
func Guarded[T float32 | float64](x T) T {
	if x == 0 {
		return 1
	}
	return T(math.Sin(float64(x))) / x
}

// Untaken has a branch that overflows where it is not taken.
func Untaken[T float32 | float64](x T) T {
	if x > 1 {
		return 2 * x
	}
	return T(math.Exp(float64(x * x * x * x)))
}

// ScaleBy scales by a number of an integer, and rounds to bf16.
func ScaleBy(x float32, n int32, bias dtype.BF16) dtype.BF16 {
	return dtype.ToBF16(x*float32(n) + bias.Float32())
}

// SignOf looks at bits in a condition only.
func SignOf[T float32 | float64](x, y T) T {
	if math.Signbit(float64(x)) {
		return y * y
	}
	return T(math.Copysign(float64(x*x), float64(y)))
}

// Twiddled makes a number of bits, which has no derivative.
func Twiddled(x float32) float32 {
	return math.Float32frombits(math.Float32bits(x) >> 1)
}

// Saturated multiplies by a difference of two numbers that stop growing.
func Saturated[T float32 | float64](x T) T {
	return x * (max(min(x, 4), 0)/2 - max(min(x, 1), -1))
}

// Settling iterates what has pieces, each of which stands for the number before in two places.
func Settling[T float32 | float64](x T) T {
	y := max(x, 0)
	for range 6 {
		if y > 1 {
			y = y / (1 + y)
		} else {
			y = 2 * y / (3 + y*y)
		}
	}
	return y
}

// Folding iterates a triangle.
func Folding[T float32 | float64](x T) T {
	y := x
	for i := range 20 {
		y = T(math.Abs(float64(y - T(i))))
	}
	return y
}

// Growing multiplies a difference of two slopes by what overflows.
func Growing[T float32 | float64](x T) T {
	return T(math.Exp(float64(x))) * (max(x, 0) - 0.5*max(x, 1))
}
