package lower

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vmath"
	"github.com/tilesmith/tilesmith/gemm"
)

// Operator is what a sparse product does with an entry: acc ⊕= value ⊗ b. Beyond
// what a dense one needs, a sparse product adds rows of b as they are, where the
// matrix is a pattern, and joins sums that were made apart.
type Operator interface {
	gemm.Operator
	// Take returns acc ⊕ y: an entry of a matrix that is only a pattern.
	Take(b *emit.Builder, acc, y *emit.Value) *emit.Value
	// Join returns x ⊕ y of two sums.
	Join(b *emit.Builder, x, y *emit.Value) *emit.Value
}

// Sum is the ordinary product: entries are multiplied and added, rounded once.
type Sum struct{ gemm.FMA }

// NewSum returns Sum over e.
func NewSum(e emit.Elem) Sum { return Sum{gemm.FMA{Elem: e}} }

// Take returns acc + y.
func (Sum) Take(b *emit.Builder, acc, y *emit.Value) *emit.Value { return b.Add(acc, y) }

// Join returns x + y.
func (Sum) Join(b *emit.Builder, x, y *emit.Value) *emit.Value { return b.Add(x, y) }

// Semiring is an operator given by its parts. Plus has to be associative and
// commutative up to rounding, with Identity neutral.
type Semiring struct {
	Name     string
	Elem     emit.Elem
	Zero     float64 // neutral for Plus: what an empty row is
	Plus     func(b *emit.Builder, x, y *emit.Value) *emit.Value
	Multiply func(b *emit.Builder, x, y *emit.Value) *emit.Value
}

func (s Semiring) String() string { return s.Name + "." + s.Elem.String() }

// Types returns the one type three times.
func (s Semiring) Types() (a, b, acc emit.Elem) { return s.Elem, s.Elem, s.Elem }

// Identity returns Zero in every lane.
func (s Semiring) Identity(b *emit.Builder, t emit.Type) *emit.Value { return b.Const(t, s.Zero) }

// Step returns acc ⊕ (x ⊗ y).
func (s Semiring) Step(b *emit.Builder, acc, x, y *emit.Value) *emit.Value {
	return s.Plus(b, acc, s.Multiply(b, x, y))
}

// Take returns acc ⊕ y.
func (s Semiring) Take(b *emit.Builder, acc, y *emit.Value) *emit.Value { return s.Plus(b, acc, y) }

// Join returns x ⊕ y.
func (s Semiring) Join(b *emit.Builder, x, y *emit.Value) *emit.Value { return s.Plus(b, x, y) }

// MaxTimes takes the greatest of value*b, NaN if one is: -Inf for an empty row.
func MaxTimes(e emit.Elem) Semiring {
	return Semiring{"maxtimes", e, inf(-1), vmath.Max, mul}
}

// MinTimes takes the least of value*b, NaN if one is: +Inf for an empty row.
func MinTimes(e emit.Elem) Semiring {
	return Semiring{"mintimes", e, inf(1), vmath.Min, mul}
}

// MaxPlus is the tropical semiring of longest paths, MinPlus that of shortest.
func MaxPlus(e emit.Elem) Semiring {
	return Semiring{"maxplus", e, inf(-1), vmath.Max, add}
}

// MinPlus takes the least of value+b: +Inf for an empty row.
func MinPlus(e emit.Elem) Semiring {
	return Semiring{"minplus", e, inf(1), vmath.Min, add}
}

func inf(sign int) float64 { return math.Inf(sign) }

func mul(b *emit.Builder, x, y *emit.Value) *emit.Value { return b.Mul(x, y) }

func add(b *emit.Builder, x, y *emit.Value) *emit.Value { return b.Add(x, y) }

func check(op Operator, e emit.Elem) error {
	if a, b, acc := op.Types(); a != e || b != e || acc != e {
		return fmt.Errorf("lower: operator %v is for %v, %v and %v; a sparse product has one type, here %v", op, a, b, acc, e)
	}
	return nil
}
