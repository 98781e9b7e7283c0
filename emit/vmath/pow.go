package vmath

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// atanhPoly is P in atanh s = s + s^3*(1/3 + s^2*P(s^2)) for |s| <= 0.1716, which
// is (sqrt(2)-1)/(sqrt(2)+1). It is minimax in the relative error, made as expPoly.
// f32: degree 2, error 2^-36.8; f64: degree 7, 2^-72.8.
var atanhPoly = poly{
	f32: []float64{0x1.999ap-3, 0x1.24527cp-3, 0x1.dfa204p-4},
	f64: []float64{0.2, 0x1.24924924927cdp-3, 0x1.c71c71c65a14fp-4, 0x1.745d17d75d5e5p-4, 0x1.3b137835e4409p-4, 0x1.111dce227be9ep-4,
		0x1.de9e911d97eacp-5, 0x1.e7df683a64436p-5},
}

// Pow returns x^y as package math defines it, zeros, infinities and negative x
// included. It is 2^(y*log2 |x|). The logarithm has about twice the precision, as its
// error is multiplied by the exponent of the result.
//
// f32: at most 2 ulp, 111 operations, one of them a division. f64: 2 ulp, 122. With a
// constant y of 2, 1/2 or -1 it is exact, 1 to 4 operations.
func Pow(b *emit.Builder, x, y *emit.Value) *emit.Value {
	k := newKit(b, x)
	if c, ok := constant(y); ok {
		if v := k.simplePow(x, c); v != nil {
			return v
		}
	}
	a, left := k.abs(x)
	inf := k.c(math.Inf(1))
	l := k.log2(a)
	// log2 of 0, infinities and NaN; their low part does not matter.
	l.hi = b.Select(b.Cmp("lt", a, inf), l.hi, a)
	l.hi = b.Select(b.Cmp("eq", a, k.c(0)), k.c(math.Inf(-1)), l.hi)
	// An infinite y is as good as a large one, and 0 times that is not NaN.
	end := math.Ldexp(1, int(k.bias))
	v := k.exp2(k.times(l, k.atLeast(k.atMost(y, end), -end)))

	// Negative x, -0 too: odd y keep the sign, and y that are no integers give NaN.
	whole := func(v *emit.Value) *emit.Value { return b.Cmp("eq", b.Round("trunc", v), v) }
	integer, even := whole(y), whole(b.Mul(y, k.c(0.5)))
	sign := b.Select(even, k.n(0), b.Select(integer, left, k.n(0)))
	v = k.toFloat(b.Xor(k.toInt(v), sign))
	v = b.Select(b.Cmp("lt", x, k.c(0)), b.Select(integer, v, b.Select(b.Cmp("eq", a, inf), v, k.nan())), v)
	v = b.Select(b.Cmp("eq", y, k.c(1)), x, v)
	one := b.Or(b.Cmp("eq", x, k.c(1)), b.Cmp("eq", y, k.c(0)))
	minusOne := b.And(b.Cmp("eq", a, k.c(1)), b.Cmp("eq", b.AbsF(y), inf))
	return b.Select(b.Or(one, minusOne), k.c(1), v)
}

// simplePow returns x^y where an instruction does it, else nil. The root of -0 is 0
// here, and that of -Inf infinite.
func (k *kit) simplePow(x *emit.Value, y float64) *emit.Value {
	b := k.b
	switch y {
	case 2:
		return b.Mul(x, x)
	case -1:
		return b.Div(k.c(1), x)
	case 0.5:
		inf := k.c(math.Inf(1))
		return b.Select(b.Cmp("eq", x, k.c(math.Inf(-1))), inf, b.Sqrt(b.Add(x, k.c(0))))
	}
	return nil
}

// log2 returns the binary logarithm of a positive number: with a = 2^e*(1+m) and
// s = m/(2+m), it is e + 2*log2(e)*atanh s.
func (k *kit) log2(a *emit.Value) double {
	b := k.b
	e, m := k.split(a)
	d := k.fastSum(k.c(2), m)
	inverse := b.Div(k.c(1), d.hi)
	s := double{hi: b.Mul(m, inverse)}
	minus := b.NegF(s.hi)
	s.lo = b.Mul(b.FMA(b.FMA(m, minus, d.hi), minus, d.lo), inverse)

	z := k.twoProd(s.hi, s.hi)
	z.lo = b.FMA(z.lo, b.Add(s.hi, s.hi), s.lo)
	third := k.parts(0x1.555556p-2, -0x1.555556p-27, 0x1.5555555555555p-2, 0x1.5555555555555p-56)
	t := k.fastSum(third.hi, b.FMA(third.lo, z.hi, k.horner(atanhPoly, z.hi)))
	v := k.mul(s, k.mul(z, t)) // atanh s less s
	l := k.fastSum(s.hi, v.hi)
	l.lo = b.Add(l.lo, b.Add(s.lo, v.lo))

	l = k.mul(l, k.parts(0x1.715476p+1, 0x1.4ae0cp-25, 0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55)) // 2*log2(e)
	sum := k.fastSum(e, l.hi)
	return double{sum.hi, b.Add(sum.lo, l.lo)}
}

// mul returns x*y to about twice the precision.
func (k *kit) mul(x, y double) double {
	p := k.twoProd(x.hi, y.hi)
	return double{p.hi, k.b.FMA(k.b.FMA(p.lo, x.hi, y.lo), x.lo, y.hi)}
}

// times returns x*y to about twice the precision.
func (k *kit) times(x double, y *emit.Value) double {
	p := k.twoProd(x.hi, y)
	return double{p.hi, k.b.FMA(p.lo, x.lo, y)}
}

// exp2 returns 2^x, as [Exp2] does.
func (k *kit) exp2(x double) *emit.Value {
	b := k.b
	hi := k.atLeast(k.atMost(x.hi, k.of(129, 1025)), k.of(-151, -1076))
	lo := b.Select(b.Cmp("eq", hi, x.hi), x.lo, k.c(0))
	t, n := k.near(hi, 0.5)
	r := b.FMA(hi, n, k.c(-2))
	p := b.FMA(k.c(1), k.horner(exp2Poly, r), r)
	p = b.FMA(p, b.Mul(p, lo), k.c(math.Ln2))
	s := k.pow2(t, 0)
	return b.Mul(b.Mul(p, s), s)
}
