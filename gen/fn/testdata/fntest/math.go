package fntest

import "math"

// Rotate turns a point by an angle: one reduction for sine and cosine.
func Rotate(x, y, angle float32) (float32, float32) {
	sin, cos := math.Sincos(float64(angle))
	s, c := float32(sin), float32(cos)
	return float32(c*x) - s*y, float32(s*x) + c*y
}

// Wave has them apart.
func Wave(x float64) float64 { return math.Sin(x) * math.Cos(x) }

// Circle is every circular function and its inverse.
func Circle[T Float](x T) (T, T, T, T) {
	y := float64(x)
	return T(math.Sin(y)), T(math.Cos(y)), T(math.Tan(y)), T(math.Atan(y))
}

// Arcs are between -1 and 1.
func Arcs[T Float](x T) (T, T, T) {
	y := float64(max(-1, min(1, x)))
	return T(math.Asin(y)), T(math.Acos(y)), T(math.Atanh(y))
}

// Hyperbola is the others.
func Hyperbola[T Float](x T) (T, T, T, T) {
	y := float64(x)
	return T(math.Sinh(y)), T(math.Cosh(y)), T(math.Asinh(y)), T(math.Acosh(y))
}

// Roots have no ends.
func Roots[T Float](x, y T) (T, T, T) {
	return T(math.Cbrt(float64(x))), T(math.Hypot(float64(x), float64(y))), T(math.Log10(float64(max(x, 1e-30))))
}

// Polar is a point by its distance and its angle.
func Polar(x, y float32) (float32, float32) {
	return float32(math.Hypot(float64(x), float64(y))), float32(math.Atan2(float64(y), float64(x)))
}

// Gamma is what screens do to colours.
func Gamma(x float32) float32 { return float32(math.Pow(float64(max(0, min(1, x))), 2.25)) }

// Raise is the whole of it.
func Raise[T Float](x, y T) T { return T(math.Pow(float64(x), float64(y))) }

// Phase is exact, in lanes of float32.
func Phase(x float32) float32 { return float32(math.Mod(float64(max(-1e6, min(1e6, x))), 0.75)) }

// Digit relies on the ends of what Mod leaves.
func Digit(x float64) int8 { return int8(math.Mod(math.Trunc(max(-1e8, min(1e8, x))), 10)) }
