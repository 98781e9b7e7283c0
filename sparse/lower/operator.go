package lower

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
)

// Operator is what a sparse product does with an entry: acc ⊕= value ⊗ b. Unlike a dense
// product, a sparse one also joins sums that were made separately, and adds b itself for an
// entry of a pattern. [gemm.Over] makes an Operator from a semiring.
type Operator = gemm.Joiner

// NewSum returns the ordinary product over e: entries are multiplied and added,
// rounded once.
func NewSum(e emit.Elem) Operator { return gemm.FMA{Elem: e} }

func check(op Operator, e emit.Elem) error {
	if a, b, acc := op.Types(); a != e || b != e || acc != e {
		return fmt.Errorf("lower: operator %v is for %v, %v and %v; a sparse product has one type, here %v", op, a, b, acc, e)
	}
	if s, ok := op.(gemm.Semiring); ok {
		return s.Check()
	}
	return nil
}
