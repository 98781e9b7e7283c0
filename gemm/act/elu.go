package act

import "math"

// ELU is the exponential linear unit: x above 0, alpha*(exp(x)-1) below. See Clevert,
// Unterthiner, Hochreiter, "Fast and accurate deep network learning by exponential
// linear units (ELUs)", 2015, where alpha is 1.
func ELU[T Float](x, alpha T) T {
	if x > 0 {
		return x
	}
	return alpha * T(math.Expm1(float64(x)))
}

// DELU is the derivative of [ELU] in x.
func DELU[T Float](x, alpha T) T {
	if x > 0 {
		return 1
	}
	return alpha * T(math.Exp(float64(x)))
}
