package vmath

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// sinPoly and cosPoly are S in sin r = r + r^3*S(r^2) and C in
// cos r = 1 - r^2/2 + r^4*C(r^2) for |r| <= pi/4. They are minimax in the relative
// error of the sine and the cosine, made as expPoly. f32: degree 2 both, errors 2^-27.9
// and 2^-33.0; f64: degree 5, 2^-57.9 and 2^-63.9.
var (
	sinPoly = poly{
		f32: []float64{-0x1.555546p-3, 0x1.110778p-7, -0x1.9953fep-13},
		f64: []float64{-0x1.5555555555548p-3, 0x1.111111110f73p-7, -0x1.a01a019be9234p-13, 0x1.71de35553d58dp-19, -0x1.ae5e4bac28778p-26,
			0x1.5d8b6cc7e6feep-33},
	}
	cosPoly = poly{
		f32: []float64{0x1.55554ap-5, -0x1.6c0c28p-10, 0x1.99e838p-16},
		f64: []float64{0x1.555555555554bp-5, -0x1.6c16c16c15013p-10, 0x1.a01a019c8ed5bp-16, -0x1.27e4f7f14935p-22, 0x1.1ee9db967f5c8p-29,
			-0x1.8fa664247da79p-37},
	}
)

// Sin returns the sine of x, NaN for infinities: that of what quadrant leaves of x,
// or its cosine.
//
// f32: at most 1 ulp for all inputs, 126 operations. f64: 1 ulp, 157.
func Sin(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	a, sign := k.abs(x)
	return k.sincos(a).sin(sign)
}

// Cos returns the cosine of x, NaN for infinities, as [Sin] does.
//
// f32: at most 1 ulp for all inputs, 125 operations. f64: 1 ulp, 156.
func Cos(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	return k.sincos(b.AbsF(x)).cos()
}

// Sincos returns the sine and the cosine of x, with 9 operations more than one of
// them takes.
func Sincos(b *emit.Builder, x *emit.Value) (sin, cos *emit.Value) {
	k := newKit(b, x)
	a, sign := k.abs(x)
	v := k.sincos(a)
	return v.sin(sign), v.cos()
}

// angle is a number a >= 0, less multiples of pi/2: which, and what functions of the
// rest are.
type angle struct {
	k            *kit
	a, q         *emit.Value
	even         *emit.Value // whether q is
	sine, cosine double      // of the rest, not summed
}

func (k *kit) sincos(a *emit.Value) *angle {
	b := k.b
	q, r := k.quadrant(a)
	z := b.Mul(r.hi, r.hi)
	w := b.FMA(k.c(1), z, k.c(-0.5)) // the cosine, nearly
	return &angle{k: k, a: a, q: q, even: b.Cmp("eq", b.And(q, k.n(1)), k.n(0)),
		sine:   double{r.hi, b.FMA(b.Mul(r.lo, w), b.Mul(r.hi, z), k.horner(sinPoly, z))},
		cosine: double{w, b.FMA(b.Mul(b.NegF(r.hi), r.lo), b.Mul(z, z), k.horner(cosPoly, z))}}
}

// sin returns the sine of a, with its sign turned as sign is.
func (v *angle) sin(sign *emit.Value) *emit.Value {
	b := v.k.b
	return v.signed(v.pick(v.sine, v.cosine), b.Xor(v.half(v.q), sign))
}

func (v *angle) cos() *emit.Value {
	b := v.k.b
	return v.signed(v.pick(v.cosine, v.sine), v.half(b.Add(v.q, v.k.n(1))))
}

// pick returns the sum of x where q is even, else that of y.
func (v *angle) pick(x, y double) *emit.Value {
	b := v.k.b
	return b.Add(b.Select(v.even, x.hi, y.hi), b.Select(v.even, x.lo, y.lo))
}

// half returns the sign of quadrant q: bit 1.
func (v *angle) half(q *emit.Value) *emit.Value {
	k := v.k
	return k.b.And(k.b.Shl(q, k.n(k.bits-2)), k.signBit())
}

// signed returns y with its sign turned, and NaN if a is infinite or NaN.
func (v *angle) signed(y, sign *emit.Value) *emit.Value {
	k := v.k
	y = k.toFloat(k.b.Xor(k.toInt(y), sign))
	return k.b.Select(k.b.Cmp("lt", v.a, k.c(math.Inf(1))), y, k.nan())
}
