package act

import "math"

// Sigmoid is the logistic function, 1/(1+exp(-x)), without overflow: the
// exponential is never of a positive number.
func Sigmoid[T Float](x T) T {
	t := decay(x)
	num := T(1)
	if x < 0 {
		num = t
	}
	return num / (1 + t)
}

// logistic is the logistic function of a number not beyond 87 (float64: 708) on either side. There neither
// the exponential nor its reciprocal leaves the normal numbers, so it needs no limits, no sign and no branch.
func logistic[T Float](x T) T {
	x = -x
	return 1 / (1 + T(math.Exp(float64(x))))
}

// DSigmoid is the derivative of [Sigmoid], Sigmoid(x)*(1-Sigmoid(x)), without the
// cancellation of 1-Sigmoid(x).
func DSigmoid[T Float](x T) T {
	t := decay(x)
	d := 1 + t
	return t / (d * d)
}

// decay is exp(-|x|), which every activation with two saturated ends is made of.
func decay[T Float](x T) T {
	a := -T(math.Abs(float64(x)))
	return T(math.Exp(float64(a)))
}

// either returns its first argument as a float32, its second as a float64.
func either[T Float](f32, f64 T) T {
	if T(1e-300) == 0 {
		return f32
	}
	return f64
}
