package act

import (
	"math"
	"math/big"
	"sync"
)

// Arithmetic far wider than any result needs: a derivative is taken as a central
// difference with a step of 2^-220, and that of tanh is 2^-1074 beside tanh's 1.
const prec = 2600

func num(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }

func zero() *big.Float               { return new(big.Float).SetPrec(prec) }
func add(x, y *big.Float) *big.Float { return zero().Add(x, y) }
func sub(x, y *big.Float) *big.Float { return zero().Sub(x, y) }
func mul(x, y *big.Float) *big.Float { return zero().Mul(x, y) }
func quo(x, y *big.Float) *big.Float { return zero().Quo(x, y) }
func sqrt(x *big.Float) *big.Float   { return zero().Sqrt(x) }
func neg(x *big.Float) *big.Float    { return zero().Neg(x) }
func scaled(x *big.Float, by int) *big.Float {
	return zero().SetMantExp(x, by)
}

// exp is the series at x*2^-halvings, squared that often. Arguments stop at 5000
// and -5000, where one of the result and 1 vanishes beside the other.
func exp(x *big.Float) *big.Float {
	x = refClamp(x, num(-5000), num(5000))
	if x.Sign() == 0 {
		return num(1)
	}
	halvings := max(0, 50+x.MantExp(nil))
	r := scaled(x, -halvings)
	sum, term := num(1), num(1)
	for n := 1; ; n++ {
		term = quo(mul(term, r), num(float64(n)))
		if term.Sign() == 0 || term.MantExp(nil) < -prec {
			break
		}
		sum = add(sum, term)
	}
	for range halvings {
		sum = mul(sum, sum)
	}
	return sum
}

// log1p solves exp(w) = 1+y by Halley's iteration, which triples the digits.
func log1p(y *big.Float) *big.Float {
	f, _ := y.Float64()
	w, z := num(math.Log1p(f)), add(num(1), y)
	for range 5 {
		e := exp(w)
		w = add(w, scaled(quo(sub(z, e), add(z, e)), 1))
	}
	return w
}

// arctan1 is the arc tangent of 1/n.
func arctan1(n float64) *big.Float {
	sum, power := zero(), quo(num(1), num(n))
	for k := 0.0; power.MantExp(nil) > -prec; k++ {
		term := quo(power, num(2*k+1))
		if int(k)%2 == 1 {
			term = neg(term)
		}
		sum = add(sum, term)
		power = quo(power, num(n*n))
	}
	return sum
}

// pi by Machin's formula.
var pi = sync.OnceValue(func() *big.Float {
	return scaled(sub(scaled(arctan1(5), 2), arctan1(239)), 2)
})

// erfc is 1 - 2/sqrt(pi) * exp(-z^2) * sum of 2^n z^(2n+1) / (1*3*...*(2n+1)).
// Beyond 40, where it is below every float64, it is taken for 0.
func erfc(z *big.Float) *big.Float {
	if f, _ := z.Float64(); f > 40 {
		return zero()
	} else if f < -40 {
		return num(2)
	}
	zz := mul(z, z)
	sum, term := zero(), z
	for n := 1; term.Sign() != 0 && term.MantExp(nil) > -prec; n++ {
		sum = add(sum, term)
		term = quo(scaled(mul(term, zz), 1), num(float64(2*n+1)))
	}
	return sub(num(1), mul(quo(scaled(sum, 1), sqrt(pi())), exp(neg(zz))))
}

// The activations by their definitions.

func refSigmoid(x *big.Float) *big.Float { return quo(num(1), add(num(1), exp(neg(x)))) }

func refSiLU(x *big.Float) *big.Float { return mul(x, refSigmoid(x)) }

func refTanh(x *big.Float) *big.Float {
	e := exp(scaled(x, 1))
	return quo(sub(e, num(1)), add(e, num(1)))
}

func refGELU(x *big.Float) *big.Float {
	cube := mul(quo(num(44715), num(1e6)), mul(x, mul(x, x)))
	u := mul(sqrt(quo(num(2), pi())), add(x, cube))
	return mul(scaled(x, -1), add(num(1), refTanh(u)))
}

func refGELUErf(x *big.Float) *big.Float {
	return mul(scaled(x, -1), erfc(neg(quo(x, sqrt(num(2))))))
}

func refSoftplus(x *big.Float) *big.Float {
	if x.Sign() > 0 {
		return add(x, log1p(exp(neg(x))))
	}
	return log1p(exp(x))
}

func refMish(x *big.Float) *big.Float { return mul(x, refTanh(refSoftplus(x))) }

func refELU(x, alpha *big.Float) *big.Float {
	if x.Sign() > 0 {
		return x
	}
	return mul(alpha, sub(exp(x), num(1)))
}

func refClamp(x, lo, hi *big.Float) *big.Float {
	switch {
	case x.Cmp(lo) < 0:
		return lo
	case x.Cmp(hi) > 0:
		return hi
	}
	return x
}

func refHardSigmoid(x *big.Float) *big.Float {
	return quo(refClamp(add(x, num(3)), zero(), num(6)), num(6))
}

func refHardSwish(x *big.Float) *big.Float { return mul(x, refHardSigmoid(x)) }

// derivative is the central difference of f. It stands for the derivative to
// 2^-400 of its size, except within the step of a kink.
func derivative(f func(*big.Float) *big.Float) func(*big.Float) *big.Float {
	const step = -220
	h := scaled(num(1), step)
	return func(x *big.Float) *big.Float {
		return scaled(sub(f(add(x, h)), f(sub(x, h))), -step-1)
	}
}
