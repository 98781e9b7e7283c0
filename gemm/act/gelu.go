package act

import "math"

// GELU is the Gaussian error linear unit in its tanh form,
//
//	x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715*x^3)))
//
// (Hendrycks, Gimpel, "Gaussian error linear units (GELUs)", 2016), evaluated as
// x*Sigmoid(2*sqrt(2/pi) * (x + 0.044715*x^3)): the same function, without the
// cancellation of 1 + tanh at negative x. It is within 5e-4 of [GELUErf].
//
// Below -9.75 (float64: -20.9) the result stays at its value there, about -3.2e-35
// (-8.5e-297). Smaller results would be denormals, which mean nothing to a network and
// cost a processor tens of cycles each.
func GELU[T Float](x T) T {
	end := either[T](9.75, 20.9)
	x = max(x, -end)
	return x * logistic(geluArg(min(x, end)))
}

// DGELU is the derivative of [GELU].
func DGELU[T Float](x T) T {
	end := either[T](9.75, 20.9)
	x = min(max(x, -end), end)
	t := decay(geluArg(x))
	d := 1 + t
	slope := x * (geluA + 3*geluB*x*x) // x times the derivative of geluArg
	num := d + slope*t
	if x < 0 {
		num = t * (d + slope)
	}
	return num / (d * d)
}

// geluArg is 2*sqrt(2/pi) * (x + 0.044715*x^3).
func geluArg[T Float](x T) T { return x * (geluA + geluB*x*x) }

const (
	geluA = 2 * math.Sqrt2 / math.SqrtPi
	geluB = 0.044715 * geluA
)

// GELUErf is the Gaussian error linear unit in its exact form (Hendrycks, Gimpel,
// 2016). It is x times the probability that a normal variable is below x, which is x/2
// * (1 + erf(x/sqrt(2))). It is evaluated with erfc(-x/sqrt(2)) in place of 1 + erf,
// which would cancel at negative x.
func GELUErf[T Float](x T) T {
	x = max(x, -far)
	return x * normal(min(x, far))
}

// DGELUErf is the derivative of [GELUErf], the normal distribution plus x times
// its density.
func DGELUErf[T Float](x T) T {
	x = min(max(x, -far), far)
	return normal(x) + x*density(x)
}

// normal is the distribution function of a normal variable.
func normal[T Float](x T) T {
	z := x * (-1 / math.Sqrt2)
	return T(math.Erfc(float64(z))) / 2
}

// density is the derivative of normal.
func density[T Float](x T) T {
	z := -x * x / 2
	return T(math.Exp(float64(z))) * (1 / (math.Sqrt2 * math.SqrtPi))
}
