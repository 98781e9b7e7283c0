package vmath

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// constant returns the number that v has in every lane, if it was made by const.
func constant(v *emit.Value) (x float64, ok bool) {
	if v.Op == nil || v.Op.Def.Name != "const" || math.IsNaN(v.Op.Attr.F) {
		return 0, false
	}
	return v.Op.Attr.F, true
}

// withConstant returns c and the other operand, if one is a number c known now.
func withConstant(x, y *emit.Value) (c float64, cv, other *emit.Value, ok bool) {
	if c, ok = constant(y); ok {
		return c, y, x, true
	}
	c, ok = constant(x)
	return c, x, y, ok
}

// Max returns what Go's max(x, y) does: NaN if one is NaN, and +0 rather than -0.
//
// The operation max of the IR is one instruction, but gives its second operand for
// NaNs and zeros. The two orders differ only there. And joins two zeros, and the sum of
// the two is a NaN if one is.
//
// Exact. 6 operations; with a constant 1, with a constant +0 (ReLU) 2.
func Max(b *emit.Builder, x, y *emit.Value) *emit.Value {
	k := newKit(b, x)
	if c, cv, v, ok := withConstant(x, y); ok {
		m := b.Max(cv, v) // v for NaN, and for two zeros
		if c == 0 && !math.Signbit(c) {
			m = b.Add(m, cv) // -0 + 0 = 0
		}
		return m
	}
	p, q := b.Max(x, y), b.Max(y, x)
	both := k.toFloat(b.And(k.toInt(p), k.toInt(q)))
	return b.Select(b.Cmp("eq", p, q), both, b.Add(p, q))
}

// Min returns what Go's min(x, y) does: NaN if one is NaN, and -0 rather than +0.
// As [Max], but here or joins zeros, and it makes a NaN of a NaN and anything.
//
// Exact. 3 operations; with a constant 1, with a constant -0 2.
func Min(b *emit.Builder, x, y *emit.Value) *emit.Value {
	k := newKit(b, x)
	if c, cv, v, ok := withConstant(x, y); ok {
		m := b.Min(cv, v)
		if c == 0 && math.Signbit(c) {
			m = k.toFloat(b.Or(k.toInt(m), k.signBit()))
		}
		return m
	}
	return k.toFloat(b.Or(k.toInt(b.Min(x, y)), k.toInt(b.Min(y, x))))
}

// MathMax returns what math.Max(x, y) does: as [Max], but +Inf even if the other
// is NaN.
//
// Exact. 10 operations; with a constant as [Max].
func MathMax(b *emit.Builder, x, y *emit.Value) *emit.Value {
	return infinityFirst(b, x, y, math.Inf(1), Max)
}

// MathMin returns what math.Min(x, y) does: as [Min], but -Inf even if the other
// is NaN.
//
// Exact. 7 operations; with a constant as [Min].
func MathMin(b *emit.Builder, x, y *emit.Value) *emit.Value {
	return infinityFirst(b, x, y, math.Inf(-1), Min)
}

func infinityFirst(b *emit.Builder, x, y *emit.Value, inf float64, f func(b *emit.Builder, x, y *emit.Value) *emit.Value) *emit.Value {
	k := newKit(b, x)
	if c, cv, _, ok := withConstant(x, y); ok && c == inf {
		return cv
	} else if ok {
		// The other may be infinite, but then nothing is NaN.
		return f(b, x, y)
	}
	v := k.c(inf)
	return b.Select(b.Or(b.Cmp("eq", x, v), b.Cmp("eq", y, v)), v, f(b, x, y))
}

// Copysign returns x with the sign of y.
func Copysign(b *emit.Builder, x, y *emit.Value) *emit.Value { newKit(b, x); return b.CopySign(x, y) }

// FMA returns x*y + z, rounded once. In f32 too, where
// float32(math.FMA(float64(x), float64(y), float64(z))) may round twice: the two
// differ by at most 1 ulp.
func FMA(b *emit.Builder, x, y, z *emit.Value) *emit.Value { newKit(b, x); return b.FMA(z, x, y) }
