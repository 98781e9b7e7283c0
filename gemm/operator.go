package gemm

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Operator is the step acc ⊕= x ⊗ y on one vector; it is all that the main loop
// knows of the arithmetic.
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

// elemOf gives the IR's name of an element type.
func elemOf(t dtype.Type) emit.Elem {
	switch t {
	case dtype.F32:
		return emit.F32
	case dtype.F64:
		return emit.F64
	}
	return emit.None
}

// pick returns the operator for four element types when a spec names none.
func pick(a, b, acc, out dtype.Type) (Operator, error) {
	if a == b && b == acc && acc == out && elemOf(a) != emit.None {
		return FMA{elemOf(a)}, nil
	}
	return nil, fmt.Errorf("no operator multiplies %v by %v into %v stored as %v; all four types must be f32, or all f64", a, b, acc, out)
}
