package vmath

import "github.com/tilesmith/tilesmith/emit"

// atanPoly is A in atan t = t + t^3*A(t^2) for |t| <= 1. It is minimax in the relative
// error of the arc tangent, made as expPoly. f32: degree 8, error 2^-28.4; f64: degree
// 19, error 2^-57.2.
var atanPoly = poly{
	f32: []float64{-0x1.55553ep-2, 0x1.9991e4p-3, -0x1.2420a8p-3, 0x1.c08f62p-4, -0x1.58170cp-4, 0x1.da69eap-5, -0x1.fe1b92p-6, 0x1.64ec4ep-7,
		-0x1.d4f1aap-10},
	f64: []float64{-0x1.5555555555526p-2, 0x1.99999999955b4p-3, -0x1.249249237f5c5p-3, 0x1.c71c717fd0efdp-4, -0x1.745d11ae7f839p-4,
		0x1.3b1366992c4fdp-4, -0x1.110e510f62ceap-4, 0x1.e1bba48d4a3cbp-5, -0x1.ae5e670de12efp-5, 0x1.82daa54b2456p-5, -0x1.59a3628b4cab2p-5,
		0x1.2c2cf23ce5264p-5, -0x1.e9f51b9ec9c2p-6, 0x1.68363fb3ebbeap-6, -0x1.c782c69300ad1p-7, 0x1.d7a5e6dce2f7bp-8, -0x1.7a251f8f1fd48p-9,
		0x1.b3dd21354256ap-11, -0x1.3f1c191a6109ap-13, 0x1.bbc2fee18c266p-17},
}

// Atan returns the arc tangent of x: that of t for |x| <= 1, else pi/2 less that of
// t = 1/|x|.
//
// f32: at most 1 ulp for all inputs, 21 operations, one of them a division. f64:
// 2 ulp, 32.
func Atan(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	a, sign := k.abs(x)
	far := b.Cmp("gt", a, k.c(1))
	t := b.Select(far, b.Div(k.c(-1), a), a)
	half := k.piHalf()
	y := k.atan(double{b.Select(far, half.hi, k.c(0)), b.Select(far, half.lo, k.c(0))}, t)
	return k.withSign(y, sign)
}

// atan returns base plus the arc tangent of t, |t| <= 1.
func (k *kit) atan(base double, t *emit.Value) *emit.Value {
	b := k.b
	z := b.Mul(t, t)
	p := b.FMA(base.lo, b.Mul(t, z), k.horner(atanPoly, z))
	return b.Add(base.hi, b.Add(t, p))
}

// Atan2 returns the angle of the point (x, y), between -pi and pi, as package math
// defines it for zeros and infinities. The lesser of |x| and |y| is divided by the
// greater. The angle with that tangent is added to or subtracted from 0, pi/2 or pi.
//
// f32: at most 2 ulp, 39 operations, one of them a division. f64: 2 ulp, 50.
func Atan2(b *emit.Builder, y, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	ay, sign := k.abs(y)
	ax, left := k.abs(x) // left: of the vertical axis
	steep := b.Cmp("gt", ay, ax)
	num, den := b.Select(steep, ax, ay), b.Select(steep, ay, ax)
	// Equal ones, infinite ones too, are the diagonal, but for zeros.
	t := b.Select(b.Cmp("eq", num, den), b.Select(b.Cmp("eq", num, k.c(0)), k.c(0), k.c(1)), b.Div(num, den))
	half := k.piHalf()
	behind := b.Cmp("lt", b.CopySign(k.c(1), x), k.c(0))
	base := func(v *emit.Value) *emit.Value { // 0, pi/2 or pi
		return b.Select(steep, v, b.Select(behind, b.Add(v, v), k.c(0)))
	}
	turned := b.Xor(left, b.Select(steep, k.signBit(), k.n(0)))
	t = k.toFloat(b.Xor(k.toInt(t), turned))
	return k.withSign(k.atan(double{base(half.hi), base(half.lo)}, t), sign)
}
