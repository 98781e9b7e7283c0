package act

// Mish is x*tanh(softplus(x)) (Misra, "Mish: a self regularized non-monotonic
// activation function", 2019). It is evaluated as x*n/(n+2) with n = exp(x)*(exp(x)+2),
// which takes one exponential and never that of a positive number.
func Mish[T Float](x T) T {
	x = max(x, -far)
	t := decay(min(x, far))
	num := 1 + 2*t
	den := num + 2*t*t
	if x < 0 {
		num = t * (t + 2)
		den = num + 2
	}
	return x * (num / den)
}

// DMish is the derivative of [Mish].
func DMish[T Float](x T) T {
	x = min(max(x, -far), far)
	t := decay(x)
	num, den, rise := 1+2*t, 1+2*t+2*t*t, t*t*(1+t)
	if x < 0 {
		num, den, rise = t*(t+2), t*(t+2)+2, t*(1+t)
	}
	// tanh(softplus(x)) plus x times its derivative.
	return num/den + 4*x*rise/(den*den)
}
