package vmath

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// erfcPoly is c, then P, in (a+K)*e^(a^2)*erfc(a) = c + (r-r0)*P(r) with
// r = 1/(a+K). It holds for 0 <= a <= 10.1 and K = 2 (f32), 27.3 and K = 4 (f64). It is
// minimax in the relative error, by Remez exchange in 200-bit arithmetic. r0 is a
// number at which the function is just about c; each coefficient of P was rounded in
// turn and the others fitted again. Those of f32 were then moved by some ulps, at
// random, until no input was 3 ulp off. f32: degree 9, error 2^-26.2; f64: degree 21,
// error 2^-58.0.
var erfcPoly = poly{
	f32: []float64{0x1.bbb45cp-1, 0x1.9ced1ep0, 0x1.4a5f5ep1, 0x1.a79840p1, 0x1.c164a6p0, 0x1.b2e2e6p-2, -0x1.7e3fb4p3, -0x1.4d3fc6p5,
		0x1.3b5cf6p7, -0x1.65a462p7, 0x1.206344p6},
	f64: []float64{0x1.d946e35cf439bp-1, 0x1.cfc34c487930ap1, 0x1.b7d638f91a6fbp3, 0x1.925e528ede7bfp5, 0x1.618b284c4ed87p7, 0x1.28c055370fa6ap9,
		0x1.d81c07da5e9c7p10, 0x1.6258a0c11253bp12, 0x1.d7bdcbe177922p13, 0x1.6b752dd810fd2p15, -0x1.bc68309b234eep13, 0x1.064c5449fba5dp20,
		-0x1.ac772235e50bbp22, 0x1.279f6c1153889p25, -0x1.11b9d8ec2695cp27, 0x1.dac30171204b8p26, 0x1.e8eb9d5405470p30, -0x1.cb359c7cd05e3p33,
		0x1.c2c5fe2bffd3ep35, -0x1.13300023f49dep37, 0x1.a1f3815e8064dp37, -0x1.6bf6c4cb3d73ep37, 0x1.17a66776f2f61p36},
}

// The r0 of erfcPoly.
const (
	erfcMid32 = 0x1.7fff5cp-3
	erfcMid64 = 0x1.972f99999999ap-4
)

// Erfc returns 1 minus the error function of x, to full relative accuracy in its
// tail, denormals too. For a = |x| and E from erfcPoly it is e^(-a^2) times E(a), and 2
// minus that for x < 0.
//
// Two roundings would weigh too much, and are made good. The polynomial is one of r =
// 1/(a+K), and yields E not at a but at a-D. Here D = a+K - 1/r is known to full
// accuracy from a+K = d+del and e = r*d - 1. Since E' = 2a*E - 2/sqrt(pi),
//
//	e^(-a^2) * E(a) = e^(-a^2 + 2aD) * E(a-D) - e^(-a^2) * 2/sqrt(pi) * D
//
// but for terms in D^2. That of a^2: the exponent is reduced as the sum of h, its
// greater part, and of what is small, which is added last. One argument of a
// polynomial is r-r0, not r, so that P weighs less where E*(a+K) is rounded most.
// The result is formed 2^64 (2^512) times too small. The power of two that corrects it
// is a normal number, so the last product rounds denormals only once.
//
// The form with 1/(a+K) is that of Shepherd and Laframboise, "Chebyshev
// approximation of (1+2x)exp(x^2)erfc x in 0 <= x < inf", Math. Comp. 36 (1981); a
// quotient of two polynomials in a takes fewer operations, but is 5 ulp off.
//
// f32: at most 2 ulp for all inputs, 45 operations, one of them a division. f64:
// 3 ulp, 63.
func Erfc(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	a := b.AbsF(x)
	a = k.atMost(a, k.of(10.1, 27.3)) // the result is 0 from 10.0542, 27.2265 on
	neg := k.withSign(a, k.signBit())

	shift, down := k.c(k.of(2, 4)), math.Ldexp(1, -int(k.of(64, 512)))
	d := b.Add(a, shift)
	r := b.Div(k.c(1), d)
	e := b.FMA(k.c(-1), r, d)
	del := b.Sub(a, b.Sub(d, shift)) // exact, as the difference in it is
	diff := b.FMA(del, e, d)
	p := k.horner(erfcTail.times(down), r)
	p = b.FMA(k.c(k.of(erfcPoly.f32[0], erfcPoly.f64[0])*down), b.Sub(r, k.c(k.of(erfcMid32, erfcMid64))), p)
	g := b.FMA(b.Mul(diff, k.c(-2/math.SqrtPi*down)), r, p)

	h := b.Mul(neg, a)
	t, n := k.near(h, 1/math.Ln2)
	hi := b.FMA(h, n, k.c(-k.of(ln2Hi32, ln2Hi64)))    // exact, as in [Exp]
	lo := b.FMA(b.FMA(h, a, a), diff, b.Add(neg, neg)) // hi - lo is the exponent, less n*ln 2
	lo = b.FMA(lo, n, k.c(k.of(ln2Lo32, ln2Lo64)))
	z := b.Sub(hi, lo)
	// q = e^z - 1 = z + z^2*P(z), with P of expm1Poly.
	q := b.Sub(hi, b.FMA(lo, b.Mul(z, z), k.horner(expm1Poly.times(-1), z)))
	y := b.Mul(b.FMA(g, g, q), k.pow2(t, int64(k.of(64, 512))))
	return b.Select(b.Cmp("lt", x, k.c(0)), b.Sub(k.c(2), y), y)
}

// erfcTail is P of erfcPoly.
var erfcTail = poly{erfcPoly.f32[1:], erfcPoly.f64[1:]}

// times returns c*p; c is a power of two or its negative.
func (p poly) times(c float64) poly {
	scaled := func(p []float64) []float64 {
		out := make([]float64, len(p))
		for i := range p {
			out[i] = c * p[i]
		}
		return out
	}
	return poly{scaled(p.f32), scaled(p.f64)}
}
