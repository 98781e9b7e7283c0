package gemm

import "github.com/tilesmith/tilesmith/emit"

// Semiring is an operator declared by its two operations: products are Times, sums
// are Plus. Zero is the identity of Plus and must annihilate: Times of Zero and
// Zero is Zero, since that is what stands beyond the end of K.
type Semiring struct {
	Name  string
	Elem  emit.Elem
	Zero  float64
	Plus  func(b *emit.Builder, acc, x *emit.Value) *emit.Value
	Times func(b *emit.Builder, x, y *emit.Value) *emit.Value
}

func (s Semiring) String() string { return s.Name + "." + s.Elem.String() }

// Types returns the one type three times.
func (s Semiring) Types() (a, b, acc emit.Elem) { return s.Elem, s.Elem, s.Elem }

// Identity returns Zero.
func (s Semiring) Identity(b *emit.Builder, t emit.Type) *emit.Value { return b.Const(t, s.Zero) }

// Pad returns Zero: what stands beyond the end of K.
func (s Semiring) Pad() float64 { return s.Zero }

// Step returns Plus of acc and Times of x and y.
func (s Semiring) Step(b *emit.Builder, acc, x, y *emit.Value) *emit.Value {
	return s.Plus(b, acc, s.Times(b, x, y))
}
