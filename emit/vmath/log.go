package vmath

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// logPoly is P in ln(1+m) = m + m^2*P(m) for sqrt(1/2) <= 1+m <= sqrt(2). It is minimax
// in the relative error of the logarithm, made as expPoly. f32: degree 8, error
// 2^-27.7; f64: degree 20, error 2^-58.4.
var logPoly = poly{
	f32: []float64{-0x1.fffff8p-2, 0x1.555558p-2, -0x1.00044cp-2, 0x1.999ff0p-3, -0x1.541af2p-3, 0x1.22bba6p-3, -0x1.0ffa24p-3, 0x1.06ad38p-3, -0x1.302c8ap-4},
	f64: []float64{-0.5, 0x1.555555555558bp-2, -0x1.0000000000033p-2, 0x1.999999998f984p-3, -0x1.55555555475d3p-3, 0x1.24924929b384cp-3,
		-0x1.0000000972fe4p-3, 0x1.c71c6f36f41c7p-4, -0x1.999993b5e7b15p-4, 0x1.745d7293f24bfp-4, -0x1.55565458cc32ep-4, 0x1.3b0c48943dbc9p-4,
		-0x1.24790f9fe4524p-4, 0x1.1168408a176e0p-4, -0x1.017d6a66776bfp-4, 0x1.de2c35d86deb3p-5, -0x1.ad1340d25d387p-5, 0x1.ac02d39f35409p-5,
		-0x1.0645ce40c5c59p-4, 0x1.02d7f941c909ep-4, -0x1.d66aadac1491fp-6},
}

// sqrtHalf returns the bits of sqrt(1/2), rounded.
func (k *kit) sqrtHalf() int64 {
	if k.bits == 32 {
		return int64(math.Float32bits(math.Sqrt2 / 2))
	}
	return int64(math.Float64bits(math.Sqrt2 / 2))
}

// biased returns the exponent e of bits, whose number is 2^e*m with m from
// sqrt(1/2) on, plus bias, as an integer at the place of the exponent. Below it stand
// the bits of m that exceed those of sqrt(1/2).
func (k *kit) biased(bits *emit.Value) *emit.Value {
	return k.b.Add(bits, k.n(k.bias<<k.man-k.sqrtHalf()))
}

// exponent returns as a number the e in biased, plus bias and minus less. A small
// integer or-ed into the significand of 2^man adds to it.
func (k *kit) exponent(biased, less *emit.Value) *emit.Value {
	big := k.n((k.bias + k.man) << k.man)
	return k.b.Sub(k.toFloat(k.b.Or(k.b.Shr(biased, k.n(k.man)), big)), less)
}

// expZero is what exponent needs as less for a number that was multiplied by
// 2^scaled.
func (k *kit) expZero(scaled int64) float64 {
	return math.Ldexp(1, int(k.man)) + float64(k.bias+scaled)
}

// split returns x = 2^e * (1+m) for x > 0, denormal ones too: e as a number, m
// from sqrt(1/2)-1 to sqrt(2)-1.
func (k *kit) split(x *emit.Value) (e, m *emit.Value) {
	b := k.b
	small := b.Cmp("lt", x, k.c(math.Ldexp(1, 1-int(k.bias))))
	x = b.Select(small, b.Mul(x, k.c(math.Ldexp(1, int(k.man)))), x)
	i := k.biased(k.toInt(x))
	e = k.exponent(i, b.Select(small, k.c(k.expZero(k.man)), k.c(k.expZero(0))))
	m = k.toFloat(b.Add(b.And(i, k.n(1<<k.man-1)), k.n(k.sqrtHalf())))
	return e, b.Sub(m, k.c(1))
}

// log1pReduced returns ln(1+m).
func (k *kit) log1pReduced(m *emit.Value) *emit.Value {
	p := k.horner(logPoly, m)
	return k.b.FMA(m, k.b.Mul(m, m), p)
}

// domain returns y where x is a positive number, -Inf for zero, NaN below; x that
// is infinite or NaN becomes z.
func (k *kit) domain(y, x, z *emit.Value) *emit.Value {
	b := k.b
	y = b.Select(b.Cmp("lt", x, k.c(math.Inf(1))), y, z)
	low := b.Select(b.Cmp("eq", x, k.c(0)), k.c(math.Inf(-1)), k.nan())
	return b.Select(b.Cmp("le", x, k.c(0)), low, y)
}

// Log returns the natural logarithm of x: -Inf for zeros, NaN below. With
// x = 2^e*(1+m) it is e*ln 2 + ln(1+m), the product and the sum in one FMA.
//
// f32: at most 1 ulp for all inputs, 28 operations. f64: 2 ulp, 40.
func Log(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	e, m := k.split(x)
	y := b.FMA(k.log1pReduced(m), e, k.c(math.Ln2))
	return k.domain(y, x, x)
}

// Log2 returns the binary logarithm of x: -Inf for zeros, NaN below. As [Log], but
// ln(1+m) is multiplied instead of e, so powers of two have exact logarithms.
//
// f32: at most 2 ulp for all inputs, 28 operations. f64: 2 ulp, 40.
func Log2(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	e, m := k.split(x)
	y := b.FMA(e, k.log1pReduced(m), k.c(math.Log2E))
	return k.domain(y, x, x)
}

// Log10 returns the decimal logarithm of x: -Inf for zeros, NaN below. As [Log], with
// both constants in two parts.
//
// f32: at most 2 ulp for all inputs, 31 operations. f64: 2 ulp, 43.
func Log10(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	e, m := k.split(x)
	l := k.log1pReduced(m)
	perE := k.parts(0x1.bcb7b2p-2, -0x1.5b235ep-27, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57) // log10 e
	per2 := k.parts(0x1.344136p-2, -0x1.ec10cp-27, 0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59) // log10 2
	y := b.FMA(b.FMA(b.FMA(b.Mul(l, perE.lo), e, per2.lo), l, perE.hi), e, per2.hi)
	return k.domain(y, x, x)
}

// Log1p returns ln(1+x): -Inf for -1, NaN below, and a zero with its sign. With
// 1+x near 2^e, m = 2^-e*x + (2^-e - 1) is rounded once, so it does not matter
// that 1+x was rounded.
//
// f32: at most 1 ulp for all inputs, 29 operations. f64: 2 ulp, 41.
func Log1p(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	v := b.Add(x, k.c(1))
	e, m := k.split1p(x, v)
	y := b.FMA(k.log1pReduced(m), e, k.c(math.Ln2))
	y = k.domain(y, v, v)
	return b.Select(b.Cmp("eq", x, k.c(0)), x, y)
}

// split1p returns 1+x = 2^e * (1+m), where v is 1+x rounded. The sum is formed at a
// quarter of its size, from 4*2^-e which is always a normal number.
func (k *kit) split1p(x, v *emit.Value) (e, m *emit.Value) {
	b := k.b
	i := k.biased(k.toInt(v))
	e = k.exponent(i, k.c(k.expZero(0)))
	// The exponent field of i is e+bias; 2^(2-e) has 2-e+bias = 2*(bias+1) - it.
	s := k.toFloat(b.Sub(k.n((2*k.bias+2)<<k.man), b.And(i, k.n(-1<<k.man))))
	quarter := k.c(0.25)
	return e, b.FMA(b.FMA(k.c(-1), s, quarter), b.Mul(s, x), quarter)
}
