package fntest

import "math"

// GELU is the tanh form.
func GELU[T Float](x T) T {
	return 0.5 * x * (1 + T(math.Tanh(float64(sqrt2OverPi*(x+cubic*x*x*x)))))
}

// BiasGELU is what a user writes.
func BiasGELU(acc, bias float32) float32 { return GELU(acc + bias) }

// GELUErf is the exact form.
func GELUErf(x float32) float32 { return x * 0.5 * (1 + float32(math.Erf(float64(x)/math.Sqrt2))) }

// Sigmoid is one exponential.
func Sigmoid[T Float](x T) T { return 1 / (1 + T(math.Exp(float64(-x)))) }

// SiLU multiplies by it.
func SiLU(x float32) float32 { return x * Sigmoid(x) }

// Softplus is stable for large x.
func Softplus(x float32) float32 {
	if x > 20 {
		return x
	}
	return float32(math.Log1p(math.Exp(float64(x))))
}

// ELU uses expm1.
func ELU(x float32) float32 {
	if x > 0 {
		return x
	}
	return float32(math.Expm1(float64(x)))
}

// LogSumExp2 has a logarithm.
func LogSumExp2(x, y float64) float64 {
	m := math.Max(x, y)
	return m + math.Log(math.Exp(x-m)+math.Exp(y-m))
}
