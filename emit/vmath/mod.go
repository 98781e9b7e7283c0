package vmath

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// Mod returns what is left of x without multiples of y, with the sign of x, for
// |x/y| < 2^24: then it is exact. The quotient may have been rounded up to an integer;
// the product is taken away exactly, and one y added where it was too much.
//
// Exact, 10 operations, one of them a division.
func Mod(b *emit.Builder, x, y *emit.Value) *emit.Value {
	k := newKit(b, x)
	a, sign := k.abs(x)
	y = b.AbsF(y)
	n := b.Round("trunc", b.Div(a, y))
	rest := b.FMA(a, b.NegF(n), y)
	rest = b.Select(b.Cmp("lt", rest, k.c(0)), b.Add(rest, y), rest)
	return k.withSign(rest, sign)
}

// modWithin reports whether [Mod] may be used.
func modWithin(x ...float64) bool {
	return x[1] != 0 && !math.IsInf(x[1], 0) && math.Abs(x[0]/x[1]) < 1<<24
}
