package vmath

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// sinhPoly and coshPoly are S in sinh r = r + r^3*S(r^2) and C in
// cosh r = 1 + r^2*C(r^2) for |r| <= ln 2 / 2. They are minimax in the relative error
// of both, made as expPoly. f32: degrees 1 and 2, errors 2^-26.2 and 2^-33.2; f64:
// degrees 4 and 5, 2^-61.6 and 2^-70.0.
var (
	sinhPoly = poly{
		f32: []float64{0x1.5554bp-3, 0x1.1227a4p-7},
		f64: []float64{0x1.5555555555559p-3, 0x1.111111110f624p-7, 0x1.a01a01b01ce5ep-13, 0x1.71ddf7cb79bd4p-19, 0x1.af5fa200ce076p-26},
	}
	coshPoly = poly{
		f32: []float64{0x1p-1, 0x1.5554e6p-5, 0x1.6d4f1p-10},
		f64: []float64{0x1p-1, 0x1.5555555555558p-5, 0x1.6c16c16c14ffap-10, 0x1.a01a01ad80ea4p-16, 0x1.27e4cc0994e16p-22, 0x1.1f8bedb390991p-29},
	}
)

// Sinh returns the hyperbolic sine of x. With |x| = n*ln 2 + r it is
// sinh(n*ln 2)*cosh r + cosh(n*ln 2)*sinh r. The first factors are sums of two powers
// of two, so nothing cancels, however small x is.
//
// f32: at most 1 ulp for all inputs, 33 operations. f64: 1 ulp, 39.
func Sinh(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	a, sign := k.abs(x)
	h := k.hyperbola(a)
	// The rounding error of s matters only relative to its own size.
	lost := b.Sub(b.Sub(h.up, h.s), h.down)
	y := b.Mul(h.sum(k, h.s, lost, h.c), k.c(4))
	// It is x down here; this keeps the last bit of denormals.
	y = b.Select(b.Cmp("lt", a, k.c(k.of(0x1p-13, 0x1p-27))), a, y)
	return k.withSign(y, sign)
}

// Cosh returns the hyperbolic cosine of x, as [Sinh] does.
//
// f32: at most 1 ulp for all inputs, 29 operations. f64: 1 ulp, 35.
func Cosh(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	h := k.hyperbola(b.AbsF(x))
	lost := b.Sub(h.down, b.Sub(h.c, h.up))
	return b.Mul(h.sum(k, h.c, lost, h.s), k.c(4))
}

// hyperbola has the parts that [Sinh] is made of: r, sinh r minus r, cosh r minus
// 1, and a quarter of the functions of n*ln 2. Twice these functions may just overflow.
// They are s = up-down and c = up+down, powers of two.
type hyperbola struct{ r, sinhR, cosh1, up, down, s, c *emit.Value }

func (k *kit) hyperbola(a *emit.Value) hyperbola {
	b := k.b
	a = k.atMost(a, k.of(90, 711)) // the result is infinite from 89.42, 710.48 on
	t, n := k.near(a, 1/math.Ln2)
	hi, lo := b.FMA(a, n, k.c(-k.of(ln2Hi32, ln2Hi64))), b.Mul(n, k.c(k.of(ln2Lo32, ln2Lo64)))
	r := b.Sub(hi, lo)
	rest := b.Sub(b.Sub(hi, r), lo)
	z := b.Mul(r, r)
	up := k.pow2(t, -3)
	// 2^(-n-3), and 0 if that is not a normal number.
	down := k.toFloat(b.IMax(b.Sub(k.n((2*k.bias-6)<<k.man), k.toInt(up)), k.n(0)))
	return hyperbola{r: r, sinhR: b.FMA(rest, b.Mul(r, z), k.horner(sinhPoly, z)), cosh1: b.Mul(z, k.horner(coshPoly, z)),
		up: up, down: down, s: b.Sub(up, down), c: b.Add(up, down)}
}

// sum returns (u+lo)*cosh r + v*sinh r, what is large first.
func (h hyperbola) sum(k *kit, u, lo, v *emit.Value) *emit.Value {
	b := k.b
	return b.Add(b.FMA(u, v, h.r), b.FMA(b.FMA(lo, u, h.cosh1), v, h.sinhR))
}
