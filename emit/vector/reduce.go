package vector

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/layout/reduce"
)

// Combine takes a partial result of a reduction into another. NaN stays, and of two zeros either may.
func Combine(b *emit.Builder, op reduce.Op, old, x *emit.Value) *emit.Value {
	switch {
	case op.Adds():
		return b.Add(old, x)
	case op == reduce.Prod:
		return b.Mul(old, x)
	case op == reduce.Min && x.Type.Elem == emit.I32: // of places
		return b.IMin(old, x)
	case op == reduce.Min || op == reduce.ArgMin:
		return b.Select(b.Cmp("ne", x, x), x, b.Min(x, old))
	}
	return b.Select(b.Cmp("ne", x, x), x, b.Max(x, old)) // old if that is NaN
}
