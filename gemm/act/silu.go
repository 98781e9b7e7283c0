package act

// SiLU is x*Sigmoid(x), the sigmoid linear unit. See Elfwing, Uchibe, Doya,
// "Sigmoid-weighted linear units for neural network function approximation in
// reinforcement learning", 2017. It is also known as Swish with beta = 1 (Ramachandran,
// Zoph, Le, "Searching for activation functions", 2017). Below -87 (float64: -708) it
// keeps its value there, for the same reason as [GELU].
func SiLU[T Float](x T) T {
	end := either[T](87, 708)
	x = max(x, -end)
	return x * logistic(min(x, end))
}

// DSiLU is the derivative of [SiLU], Sigmoid(x)*(1+x*(1-Sigmoid(x))).
func DSiLU[T Float](x T) T {
	x = min(max(x, -far), far)
	t := decay(x)
	d := 1 + t
	num := d + x*t
	if x < 0 {
		num = t * (d + x)
	}
	return num / (d * d)
}

// far is a place beyond which exp(-x) is 0 in both types. x stops there where it
// multiplies such a factor: -Inf * 0 would be NaN. A factor of x stops there, too, so
// that what gen.Derivative makes of the product has no Inf * 0 either.
const far = 1024
