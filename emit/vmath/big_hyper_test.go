package vmath

import "math/big"

// The hyperbolic functions and their inverses, roots and powers in math/big.

func init() {
	ln1p := bigs["math.Log1p"]
	odd := func(f func(a *big.Float) *big.Float) func(x *big.Float) *big.Float {
		return func(x *big.Float) *big.Float {
			y := f(zero().Abs(x))
			if x.Sign() < 0 {
				y.Neg(y)
			}
			return y
		}
	}
	bigs["math.Sinh"] = odd(func(a *big.Float) *big.Float { // (e + e/(e+1))/2 with e = e^a - 1
		e := bigExpm1(a)
		e.Add(e, zero().Quo(e, zero().Add(e, num(1))))
		return e.Quo(e, num(2))
	})
	bigs["math.Cosh"] = func(x *big.Float) *big.Float {
		e := bigExp(x)
		e.Add(e, zero().Quo(num(1), e))
		return e.Quo(e, num(2))
	}
	bigs["math.Asinh"] = odd(func(a *big.Float) *big.Float {
		sq := zero().Mul(a, a)
		root := zero().Sqrt(zero().Add(num(1), sq))
		return ln1p(zero().Add(a, zero().Quo(sq, root.Add(root, num(1)))))
	})
	bigs["math.Acosh"] = func(x *big.Float) *big.Float {
		t := zero().Sub(x, num(1))
		return ln1p(zero().Add(t, bigRoot(t, zero().Add(t, num(2)))))
	}
	bigs["math.Atanh"] = odd(func(a *big.Float) *big.Float {
		y := ln1p(zero().Quo(zero().Add(a, a), less(a)))
		return y.Quo(y, num(2))
	})
	bigs["math.Log10"] = func(x *big.Float) *big.Float { y := bigLog(x); return y.Quo(y, bigLog(num(10))) }
	bigs["math.Cbrt"] = odd(func(a *big.Float) *big.Float { // Newton's method
		y := zero().SetMantExp(num(1), a.MantExp(nil)/3)
		for range 12 {
			left := zero().Quo(a, zero().Mul(y, y)) // y = (2y + a/y^2)/3
			y.Quo(left.Add(left, y).Add(left, y), num(3))
		}
		return y
	})
}
