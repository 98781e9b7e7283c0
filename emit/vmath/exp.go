package vmath

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// expPoly is P in e^r = 1 + r + r^2*P(r) for |r| <= ln 2. It is minimax in the relative
// error of e^r, by Remez exchange in 200-bit arithmetic. Each coefficient was rounded
// in turn and the others fitted again. f32: degree 6, error 2^-29.6; f64: degree 11,
// error 2^-56.4.
var expPoly = poly{
	f32: []float64{0.5, 0x1.555566p-3, 0x1.555584p-5, 0x1.110786p-7, 0x1.6bf00cp-10, 0x1.a6bab0p-13, 0x1.b0540cp-16},
	f64: []float64{0x1.ffffffffffff3p-2, 0x1.55555555555b6p-3, 0x1.5555555556944p-5, 0x1.11111111082eep-7, 0x1.6c16c169c1116p-10, 0x1.a01a01b229628p-13,
		0x1.a01a0580b6204p-16, 0x1.71de2a0a618dap-19, 0x1.27e1caa8f694dp-22, 0x1.ae712c9845733p-26, 0x1.217a5eeba46b7p-29, 0x1.5e6f0bb6d9c34p-33},
}

// exp2Poly is P in 2^r = 1 + r*P(r) for |r| <= 1, made as expPoly. f32: degree 6,
// error 2^-26.0; f64: degree 12, error 2^-55.8.
var exp2Poly = poly{
	f32: []float64{0x1.62e432p-1, 0x1.ebfc00p-3, 0x1.c6af68p-5, 0x1.3b1e52p-7, 0x1.5dd0ecp-10, 0x1.486788p-13, 0x1.ee9ccap-17},
	f64: []float64{0x1.62e42fefa39efp-1, 0x1.ebfbdff82c570p-3, 0x1.c6b08d704a0f0p-5, 0x1.3b2ab6fba702ap-7, 0x1.5d87fe78a5b39p-10, 0x1.430912f5529d1p-13,
		0x1.ffcbfc575a70ap-17, 0x1.62c0267d2e2abp-20, 0x1.b5253f8ff15dap-24, 0x1.e4c94a378aef5p-28, 0x1.e8c77f793b37cp-32, 0x1.c800e81346af0p-36,
		0x1.83e5479219d37p-40},
}

// expm1Poly is P in e^r - 1 = r + r^2*P(r) for |r| <= ln 2 / 2. It is minimax in the
// relative error of e^r - 1, made as expPoly. f32: degree 4, error 2^-26.0; f64: degree
// 10, error 2^-61.2.
var expm1Poly = poly{
	f32: []float64{0x1.fffffep-2, 0x1.5554a8p-3, 0x1.555796p-5, 0x1.122e28p-7, 0x1.6ac056p-10},
	f64: []float64{0.5, 0x1.5555555555559p-3, 0x1.5555555555559p-5, 0x1.111111110f6f5p-7, 0x1.6c16c16c16464p-10, 0x1.a01a01af95baep-13,
		0x1.a01a019fadebdp-16, 0x1.71ddf984b7c9ep-19, 0x1.27e4f67f9da5bp-22, 0x1.af5c1768fb318p-26, 0x1.1f3a845eeef29p-29},
}

// ln 2 in two parts: the nearest number of each type, and what that leaves.
const (
	ln2Hi32 = 0x1.62e430p-1
	ln2Lo32 = -0x1.05c610ca86c39p-29
	ln2Hi64 = 0x1.62e42fefa39efp-1
	ln2Lo64 = 0x1.abc9e3b39803fp-56
)

// Exp returns e^x. Let x = 2m*ln 2 + r with |r| <= ln 2. This is Cody and Waite's
// reduction, whose first step is exact, since an FMA rounds only the result, which
// fits. Then e^x is p(r) times 2^m twice. 2^m is always a normal number, and the first
// product is exact. The second rounds once and makes denormals and infinity where they
// belong. Muller, Elementary Functions, chapters 3 and 11.
//
// f32: at most 1 ulp for all inputs, 18 operations. f64: 2 ulp, 23.
func Exp(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	// Beyond these limits the result is 0 or infinity, as it is at the limit.
	x = k.atLeast(k.atMost(x, k.of(89, 710)), k.of(-104, -746))
	t, n := k.near(x, 1/(2*math.Ln2))
	r := b.FMA(x, n, k.c(-2*k.of(ln2Hi32, ln2Hi64)))
	r = b.FMA(r, n, k.c(-2*k.of(ln2Lo32, ln2Lo64)))
	p := k.horner(expPoly, r)
	p = b.FMA(k.c(1), p, r)
	p = b.FMA(k.c(1), p, r)
	s := k.pow2(t, 0)
	return b.Mul(b.Mul(p, s), s)
}

// ExpNear returns e^x for lo <= x <= hi, and NaN for NaN. If e^x is a normal number from end to end, x
// is reduced to |r| <= ln 2 / 2, which needs one power of two and no limits. Elsewhere it is [Exp].
//
// f32: at most 1 ulp for all inputs from -87 to 88 (all were tried), 13 operations. f64: 2 ulp from -708 to 709, 19.
func ExpNear(b *emit.Builder, x *emit.Value, lo, hi float64) *emit.Value {
	k := newKit(b, x)
	if !(lo >= k.of(-87, -708) && hi <= k.of(88, 709)) {
		return Exp(b, x)
	}
	t, n := k.near(x, 1/math.Ln2)
	r := b.FMA(x, n, k.c(-k.of(ln2Hi32, ln2Hi64)))
	r = b.FMA(r, n, k.c(-k.of(ln2Lo32, ln2Lo64)))
	p := k.horner(expm1Poly, r)
	p = b.FMA(k.c(1), p, r)
	p = b.FMA(k.c(1), p, r)
	return b.Mul(p, k.pow2(t, 0))
}

// Exp2 returns 2^x, as [Exp] does, but the reduction is exact; so are results that
// are powers of two.
//
// f32: at most 1 ulp for all inputs, 16 operations. f64: 1 ulp, 22.
func Exp2(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	x = k.atLeast(k.atMost(x, k.of(129, 1025)), k.of(-151, -1076))
	t, n := k.near(x, 0.5)
	r := b.FMA(x, n, k.c(-2))
	p := k.horner(exp2Poly, r)
	p = b.FMA(k.c(1), p, r)
	s := k.pow2(t, 0)
	return b.Mul(b.Mul(p, s), s)
}

// Expm1 returns e^x - 1. With x = n*ln 2 + r and q = e^r - 1 it is
// 2^n*q + (2^n - 1). It is computed at half its size because 2^n may overflow just
// there.
//
// f32: at most 2 ulp for all inputs, 20 operations. f64: 2 ulp, 26.
func Expm1(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	c := k.atLeast(k.atMost(x, k.of(89, 710)), k.of(-18, -38))
	t, n := k.near(c, 1/math.Ln2)
	r := b.FMA(c, n, k.c(-k.of(ln2Hi32, ln2Hi64)))
	r = b.FMA(r, n, k.c(-k.of(ln2Lo32, ln2Lo64)))
	q := b.FMA(r, b.Mul(r, r), k.horner(expm1Poly, r))
	h := k.pow2(t, -1)
	e := b.FMA(b.Sub(h, k.c(0.5)), h, q)
	e = b.Add(e, e)
	// Here e^x - 1 is x; this keeps the sign of zero and the last bit of denormals.
	abs := b.AbsF(x)
	return b.Select(b.Cmp("lt", abs, k.c(math.Ldexp(1, -int(k.man)-2))), x, e)
}
