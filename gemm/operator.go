package gemm

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Operator is the step acc ⊕= x ⊗ y on one vector; it is all that the main loops
// know of the arithmetic.
type Operator interface {
	String() string
	// Types gives the element types of the operands and the accumulator.
	Types() (a, b, acc emit.Elem)
	// Identity returns the identity of ⊕ as a t: what K = 0 leaves in acc.
	Identity(b *emit.Builder, t emit.Type) *emit.Value
	// Step returns acc ⊕ (x ⊗ y).
	Step(b *emit.Builder, acc, x, y *emit.Value) *emit.Value
}

// FMA is the ordinary product in one floating-point type: a fused multiply-add,
// rounded once.
type FMA struct{ Elem emit.Elem }

func (o FMA) String() string { return "fma." + o.Elem.String() }

// Types returns the one type three times.
func (o FMA) Types() (a, b, acc emit.Elem) { return o.Elem, o.Elem, o.Elem }

// Identity returns zeros.
func (o FMA) Identity(b *emit.Builder, t emit.Type) *emit.Value { return b.Const(t, 0) }

// Step returns acc + x*y.
func (o FMA) Step(b *emit.Builder, acc, x, y *emit.Value) *emit.Value { return b.FMA(acc, x, y) }

// A Joiner is an operator whose partial sums can be joined: several accumulators, each
// begun with Identity, hold parts of one sum.
type Joiner interface {
	Operator
	// Join returns x ⊕ y.
	Join(b *emit.Builder, x, y *emit.Value) *emit.Value
}

// Join returns x + y.
func (o FMA) Join(b *emit.Builder, x, y *emit.Value) *emit.Value { return b.Add(x, y) }

// elems gives the IR's names of the element types. Its integers have no sign.
var elems = map[dtype.Type]emit.Elem{
	dtype.F32: emit.F32, dtype.F64: emit.F64, dtype.TypeF16: emit.F16, dtype.TypeBF16: emit.BF16,
	dtype.TypeF8E4M3: emit.F8E4M3, dtype.TypeF8E5M2: emit.F8E5M2, dtype.I8: emit.I8, dtype.I32: emit.I32,
	dtype.U8: emit.I8, dtype.I16: emit.I16, dtype.C64: emit.F32, dtype.C128: emit.F64,
}

// ElemOf returns the IR's name of an element type, of a complex one that of its parts.
func ElemOf(t dtype.Type) emit.Elem { return elems[t] }
