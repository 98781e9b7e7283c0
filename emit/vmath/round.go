package vmath

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// Sqrt returns the square root of x, rounded once. In f32 that is also what
// float32(math.Sqrt(float64(x))) gives.
func Sqrt(b *emit.Builder, x *emit.Value) *emit.Value { newKit(b, x); return b.Sqrt(x) }

// Abs returns x without its sign.
func Abs(b *emit.Builder, x *emit.Value) *emit.Value { newKit(b, x); return b.AbsF(x) }

// Floor returns the greatest integer that does not exceed x; it keeps the sign of
// zero, as the other roundings do.
func Floor(b *emit.Builder, x *emit.Value) *emit.Value { newKit(b, x); return b.Round("floor", x) }

// Ceil returns the least integer that is not less than x.
func Ceil(b *emit.Builder, x *emit.Value) *emit.Value { newKit(b, x); return b.Round("ceil", x) }

// Trunc returns the integer part of x.
func Trunc(b *emit.Builder, x *emit.Value) *emit.Value { newKit(b, x); return b.Round("trunc", x) }

// RoundToEven returns the integer nearest to x, the even one if two are.
func RoundToEven(b *emit.Builder, x *emit.Value) *emit.Value { newKit(b, x); return b.Round("rne", x) }

// Round returns the integer nearest to x, the one farther from zero if two are. To
// add the number just below one half, and not one half, is right for that number
// itself too.
//
// Exact, 4 operations.
func Round(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	sign := b.And(k.toInt(x), k.signBit())
	half := k.c(k.of(float64(math.Nextafter32(0.5, 0)), math.Nextafter(0.5, 0)))
	return b.Round("trunc", b.Add(x, k.withSign(half, sign)))
}
