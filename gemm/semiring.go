package gemm

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vmath"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

// Semiring is the operator of a [semiring.Semiring]: products are its Times, sums its
// Plus. Instructions stand for functions where the value names them; others are in
// the IR as they are, and whoever prints translates them.
type Semiring struct{ semiring.Parts }

// Over returns the operator of a semiring: [FMA] for that of + and *, of complex numbers [Pairs],
// and a [Semiring] for others. Lowering a spec reports what is wrong with it.
func Over[T dtype.Number](s semiring.Semiring[T]) Joiner { return OverParts(s.Parts()) }

// OverParts is [Over] for those who do not know the type.
func OverParts(p semiring.Parts) Joiner {
	switch {
	case p.Sums() && p.Type.Complex():
		return Pairs{ElemOf(p.Type)}
	case p.Sums():
		return FMA{ElemOf(p.Type)}
	}
	return Semiring{p}
}

// MaxPlus finds longest paths: see [semiring.MaxPlus].
var MaxPlus = Over(semiring.MaxPlus[float32]())

func (s Semiring) String() string { return s.Name + "." + s.Type.String() }

// Types returns the one type three times.
func (s Semiring) Types() (a, b, acc emit.Elem) {
	e := ElemOf(s.Type)
	return e, e, e
}

// Identity returns Zero.
func (s Semiring) Identity(b *emit.Builder, t emit.Type) *emit.Value { return b.Const(t, s.Zero) }

// Pad returns Zero: what stands beyond the end of K.
func (s Semiring) Pad() float64 { return s.Zero }

// Step returns Plus of acc and Times of x and y.
func (s Semiring) Step(b *emit.Builder, acc, x, y *emit.Value) *emit.Value {
	return s.Join(b, acc, s.Product(b, x, y))
}

// Product returns Times of x and y.
func (s Semiring) Product(b *emit.Builder, x, y *emit.Value) *emit.Value {
	return compute(b, s.TimesBy, s.Times, x, y)
}

// Join returns Plus of x and y.
func (s Semiring) Join(b *emit.Builder, x, y *emit.Value) *emit.Value {
	return compute(b, s.PlusBy, s.Plus, x, y)
}

// Translates reports whether a function of the semiring stands in the IR as it is.
func (s Semiring) Translates() bool {
	return s.PlusBy == semiring.None || s.TimesBy == semiring.None
}

// compute returns f of x and y, by an instruction if there is one. Max and min are not
// the IR's. Each of those is one instruction of a CPU, which ignores NaN on one side
// and the sign of zero. [vmath.Max] says what the difference costs.
func compute(b *emit.Builder, by semiring.Instruction, f any, x, y *emit.Value) *emit.Value {
	switch by {
	case semiring.AddBy:
		return b.Add(x, y)
	case semiring.MulBy:
		return b.Mul(x, y)
	case semiring.MaxBy:
		return vmath.Max(b, x, y)
	case semiring.MinBy:
		return vmath.Min(b, x, y)
	}
	return b.Apply(f, x, y)[0]
}
