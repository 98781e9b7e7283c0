package act

import "math"

// Tanh is the hyperbolic tangent.
func Tanh[T Float](x T) T { return T(math.Tanh(float64(x))) }

// DTanh is the derivative of [Tanh], 1 - tanh(x)^2, without the cancellation.
func DTanh[T Float](x T) T { return 4 * DSigmoid(2*x) }
