package act

import "math"

// Softplus is log(1+exp(x)), a smooth [ReLU]. See Dugas, Bengio, Bélisle, Nadeau,
// Garcia, "Incorporating second-order functional knowledge for better option pricing",
// 2001. It is evaluated as max(x, 0) + log1p(exp(-|x|)), which neither overflows nor
// cancels.
func Softplus[T Float](x T) T {
	t := decay(x)
	return max(x, 0) + T(math.Log1p(float64(t)))
}

// DSoftplus is the derivative of [Softplus], which is [Sigmoid].
func DSoftplus[T Float](x T) T { return Sigmoid(x) }
