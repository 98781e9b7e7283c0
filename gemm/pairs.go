package gemm

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

// Pairs multiplies complex numbers, each stored as a pair of elements. CPU kernels keep two
// sums: the products of a's real parts with both parts of b, and those of a's imaginary parts.
// That is two fused multiply-adds for a vector of pairs. The sums are joined after all of k, so
// the loop has no shuffles, and a conjugate is a sign at its end.
//
// A [Semiring] whose products are those of other pairs, as dual numbers are, goes the same way.
type Pairs struct{ Elem emit.Elem }

func (o Pairs) String() string { return "complex." + o.Elem.String() }

// Types returns the type of the parts three times.
func (o Pairs) Types() (a, b, acc emit.Elem) { return o.Elem, o.Elem, o.Elem }

// Identity returns zeros.
func (o Pairs) Identity(b *emit.Builder, t emit.Type) *emit.Value { return b.Const(t, 0) }

// Step adds the products of one part.
func (o Pairs) Step(b *emit.Builder, acc, x, y *emit.Value) *emit.Value { return b.FMA(acc, x, y) }

// Join returns x + y.
func (o Pairs) Join(b *emit.Builder, x, y *emit.Value) *emit.Value { return b.Add(x, y) }

// arePairs reports whether operands and sums of an operator are pairs.
func arePairs(op Operator) bool {
	switch o := op.(type) {
	case Pairs:
		return true
	case Semiring:
		return o.Type.Complex()
	}
	return false
}

// checkPairs refuses options that exist for single numbers only.
func (d Description) checkPairs() error {
	pairs := d.Acc.Complex()
	if s, ok := d.Operator.(Semiring); ok && pairs && (s.PlusBy != semiring.AddBy || s.TimesBy != semiring.MulBy && s.TimesBy != semiring.DualBy) {
		return fmt.Errorf("semiring %v: pairs are summed and multiplied by instructions only; want PlusBy semiring.AddBy, and TimesBy semiring.MulBy or semiring.DualBy", s.Name)
	}
	switch {
	case !pairs && !d.A.Complex() && !d.B.Complex() && !d.Out.Complex():
		if d.Operator != nil && arePairs(d.Operator) {
			return fmt.Errorf("operator %v is for complex elements, the spec has %v, %v and %v", d.Operator, d.A, d.B, d.Acc)
		}
		return nil
	case d.A != d.Acc || d.B != d.Acc || d.Out != d.Acc:
		return fmt.Errorf("a product of complex numbers has one type, the spec has %v, %v, %v and %v", d.A, d.B, d.Acc, d.Out)
	case d.Operator != nil && !arePairs(d.Operator):
		return fmt.Errorf("operator %v is not for elements of %v; leave it out, or give gemm.Over a semiring of theirs", d.Operator, d.Acc)
	case d.Fusion != nil:
		return fmt.Errorf("a product of complex numbers has no epilogue; go over the result")
	case d.Shape != (Shape{}):
		return fmt.Errorf("a product of complex numbers has no fixed shape; leave Shape out")
	case d.Grouped:
		return fmt.Errorf("a product of complex numbers has no groups, which are of GPUs; leave Grouped out")
	}
	for _, t := range d.Targets {
		if t.Arch == "ptx" {
			return fmt.Errorf("a product of complex numbers is for CPUs; leave %s out of Targets", t.Name)
		}
	}
	return nil
}
