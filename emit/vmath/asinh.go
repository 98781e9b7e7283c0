package vmath

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// Asinh returns the inverse hyperbolic sine of x. It is ln(1+w) with w = a + a^2/(1 +
// sqrt(1+a^2)) for a = |x|, and ln a + ln 2 where a^2 overflows.
//
// f32: at most 2 ulp for all inputs, 38 operations, three of them divisions and
// roots. f64: 2 ulp, 50.
func Asinh(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	a, sign := k.abs(x)
	sq := b.Mul(a, a)
	w := b.Add(a, b.Div(sq, b.Add(k.c(1), b.Sqrt(b.Add(k.c(1), sq)))))
	y := k.logTwice(a, w)
	y = b.Select(b.Cmp("lt", a, k.c(k.of(0x1p-13, 0x1p-27))), a, y) // keeps the last bit of denormals
	return k.withSign(y, sign)
}

// Acosh returns the inverse hyperbolic cosine of x, NaN below 1. It is ln(1+w) with w =
// t + sqrt(t*(t+2)) for t = x-1, and as in [Asinh] where x is large.
//
// f32: at most 2 ulp for all inputs, 34 operations. f64: 2 ulp, 46.
func Acosh(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	t := b.Sub(x, k.c(1))
	w := b.Add(t, b.Sqrt(b.FMA(b.Add(t, t), t, t)))
	return b.Select(b.Cmp("ge", x, k.c(1)), k.logTwice(x, w), k.nan())
}

// logTwice returns ln(1+w), and ln(2a) from 2^30 on, 2^500 in f64.
func (k *kit) logTwice(a, w *emit.Value) *emit.Value {
	b := k.b
	far := b.Cmp("gt", a, k.c(k.of(0x1p30, 0x1p500)))
	w = b.Select(far, a, w) // 1+a is a there
	e, m := k.split1p(w, b.Add(w, k.c(1)))
	e = b.Select(far, b.Add(e, k.c(1)), e)
	y := b.FMA(k.log1pReduced(m), e, k.c(math.Ln2))
	return b.Select(b.Cmp("lt", w, k.c(math.Inf(1))), y, w)
}

// Atanh returns the inverse hyperbolic tangent of x, infinite for 1 and -1, NaN
// beyond. It is half of ln(1+w) with w = 2a + 2a^2/(1-a) for a = |x|. That is 2a/(1-a)
// with less weight on what 1-a loses.
//
// f32: at most 2 ulp for all inputs, 36 operations, one of them a division. f64:
// 2 ulp, 48.
func Atanh(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	a, sign := k.abs(x)
	twice := b.Add(a, a)
	w := b.Add(twice, b.Div(b.Mul(twice, a), b.Sub(k.c(1), a)))
	e, m := k.split1p(w, b.Add(w, k.c(1)))
	y := b.Mul(b.FMA(k.log1pReduced(m), e, k.c(math.Ln2)), k.c(0.5))
	y = b.Select(b.Cmp("lt", a, k.c(k.of(0x1p-13, 0x1p-27))), a, y) // as in [Asinh]
	y = b.Select(b.Cmp("lt", a, k.c(1)), y, b.Select(b.Cmp("eq", a, k.c(1)), k.c(math.Inf(1)), k.nan()))
	return k.withSign(y, sign)
}
