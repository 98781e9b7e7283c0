package vmath

import "github.com/tilesmith/tilesmith/emit"

// asinPoly is R in asin t = t + t^3*R(t^2) for |t| <= 1/2. It is minimax in the
// relative error of the arc sine, made as expPoly. f32: degree 4, error 2^-27.6; f64:
// degree 12, error 2^-59.9.
var asinPoly = poly{
	f32: []float64{0x1.5555c8p-3, 0x1.330204p-4, 0x1.747bbap-5, 0x1.8c3e2cp-6, 0x1.595c8cp-5},
	f64: []float64{0x1.5555555555577p-3, 0x1.333333332e131p-4, 0x1.6db6db721268dp-5, 0x1.f1c71a94f1f6ap-6, 0x1.6e8bdee04a82fp-6,
		0x1.1c49f05f12b44p-6, 0x1.ca1f8ce5f2926p-7, 0x1.7585909f0cc3p-7, 0x1.613c59e63d7eap-7, 0x1.e5f8ffc62ff61p-9, 0x1.639b4d2f2f1fap-6,
		-0x1.57fbce84e4ff6p-6, 0x1.0b4636d0cd872p-5},
}

// Asin returns the arc sine of x, NaN for |x| > 1. Beyond 1/2 it is
// pi/2 - 2 asin t with t = sqrt((1-|x|)/2). pi/2 - 2t comes first, since it loses less
// than 2(t + t^3*R) would.
//
// f32: at most 2 ulp for all inputs, 20 operations, one of them a root. f64: 2 ulp, 28.
func Asin(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	a, sign := k.abs(x)
	far, t, p := k.asin(a)
	half := k.piHalf()
	minus2 := k.c(-2)
	y := b.FMA(b.FMA(half.hi, t, minus2), b.Sub(p, k.c(k.of(-0x1.777a5cp-26, 0x1.1a62633145c07p-55))), minus2)
	return k.withSign(b.Select(far, y, b.Add(t, p)), sign)
}

// Acos returns the arc cosine of x, NaN for |x| > 1. It is pi/2 - asin x. Beyond 1/2 it
// proceeds as [Asin] does, and is 2 asin t for x > 0.
//
// f32: at most 1 ulp for all inputs, 26 operations, one of them a root. f64: 2 ulp, 34.
func Acos(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	a, sign := k.abs(x)
	far, t, p := k.asin(a)
	negative := b.Cmp("lt", x, k.c(0))
	half := k.piHalf()
	base := func(v *emit.Value) *emit.Value { // 0, pi/2 or pi
		return b.Select(far, b.Select(negative, b.Add(v, v), k.c(0)), v)
	}
	// times = -1 with x's sign, or 2 with the other
	times := k.toFloat(b.Xor(k.toInt(b.Select(far, k.c(2), k.c(-1))), sign))
	return b.Add(base(half.hi), b.FMA(b.FMA(base(half.lo), times, p), times, t))
}

// asin returns whether a >= 0 is beyond 1/2. It returns the t whose arc sine is wanted
// then, else t = a, and the arc sine of t minus t.
func (k *kit) asin(a *emit.Value) (far, t, p *emit.Value) {
	b := k.b
	half := k.c(0.5)
	far = b.Cmp("gt", a, half)
	z := b.Select(far, b.FMA(half, a, k.c(-0.5)), b.Mul(a, a))
	t = b.Select(far, b.Sqrt(z), a)
	return far, t, b.Mul(b.Mul(t, z), k.horner(asinPoly, z))
}
