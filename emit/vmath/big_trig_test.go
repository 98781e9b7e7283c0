package vmath

import (
	"math/big"
	"sync"
)

// The circular functions and their inverses in math/big.

func init() {
	bigs["math.Sin"] = func(x *big.Float) *big.Float { s, _ := bigSincos(x); return s }
	bigs["math.Cos"] = func(x *big.Float) *big.Float { _, c := bigSincos(x); return c }
	bigs["math.Tan"] = func(x *big.Float) *big.Float { s, c := bigSincos(x); return s.Quo(s, c) }
	bigs["math.Atan"] = bigAtan
	bigs["math.Asin"] = func(x *big.Float) *big.Float { return bigAtan(zero().Quo(x, bigRoot(less(x), more(x)))) }
	bigs["math.Acos"] = func(x *big.Float) *big.Float {
		if x.Cmp(num(-1)) == 0 {
			return bigPi()
		}
		y := bigAtan(zero().Sqrt(zero().Quo(less(x), more(x))))
		return y.Add(y, y)
	}
}

// less is 1-x, more is 1+x: exact.
func less(x *big.Float) *big.Float { return new(big.Float).SetPrec(1200).Sub(num(1), x) }
func more(x *big.Float) *big.Float { return new(big.Float).SetPrec(1200).Add(num(1), x) }

func bigRoot(x, y *big.Float) *big.Float { return zero().Sqrt(zero().Mul(x, y)) }

// longPi is pi to as many bits as the reduction of the greatest number takes.
var longPi = sync.OnceValue(func() *big.Float {
	const long = 1600
	inv := func(k int64) *big.Float { // atan(1/k)
		sum, power := new(big.Float).SetPrec(long), new(big.Float).SetPrec(long).Quo(num(1), num(float64(k)))
		for n := int64(1); power.MantExp(nil) > -long; n += 2 {
			sum.Add(sum, new(big.Float).SetPrec(long).Quo(power, num(float64(n))))
			power.Quo(power, num(float64(-k*k)))
		}
		return sum
	}
	a, b := inv(5), inv(239)
	return a.Mul(a, num(16)).Sub(a, b.Mul(b, num(4)))
})

// bigSincos returns the sine and the cosine of x: their Taylor series at what is left
// of x without multiples of pi/2.
func bigSincos(x *big.Float) (sin, cos *big.Float) {
	half := new(big.Float).SetMantExp(longPi(), -1)
	q := new(big.Float).SetPrec(1600).Quo(x, half)
	n, _ := q.Add(q, new(big.Float).SetFloat64(0.5)).Int(nil)
	if q.Sign() < 0 {
		n.Sub(n, big.NewInt(1))
	}
	left := new(big.Float).SetPrec(1600).SetInt(n)
	r := zero().Set(left.Sub(x, left.Mul(left, half)))
	sq := zero().Mul(r, r)
	sin, cos = zero(), zero()
	for term, i := num(1), 1; ; i += 2 {
		cos.Add(cos, term)
		term.Mul(term, r).Quo(term, num(float64(i)))
		sin.Add(sin, term)
		term.Mul(term, r).Quo(term, num(float64(-i-1)))
		if negligible(term, cos) || sq.Sign() == 0 {
			break
		}
	}
	switch new(big.Int).And(n, big.NewInt(3)).Int64() {
	case 1:
		return cos, sin.Neg(sin)
	case 2:
		return sin.Neg(sin), cos.Neg(cos)
	case 3:
		return cos.Neg(cos), sin
	}
	return sin, cos
}

// bigAtan halves the angle, atan x = 2 atan(x/(1+sqrt(1+x^2))), and takes the series.
func bigAtan(x *big.Float) *big.Float {
	if x.IsInf() {
		return zero().SetMantExp(bigPi().Mul(bigPi(), num(float64(x.Sign()))), -1)
	}
	t := zero().Set(x)
	const halvings = 6
	for range halvings {
		root := zero().Sqrt(zero().Add(num(1), zero().Mul(t, t)))
		t.Quo(t, root.Add(root, num(1)))
	}
	sq := zero().Mul(t, t)
	sum, power := zero(), t
	for n := 1; ; n += 2 {
		term := zero().Quo(power, num(float64(n)))
		if sum.Add(sum, term); negligible(term, sum) {
			break
		}
		power.Mul(power, sq).Neg(power)
	}
	return sum.SetMantExp(sum, halvings)
}
