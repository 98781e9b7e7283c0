package structure

import (
	"testing"

	"github.com/tilesmith/tilesmith/verify/check/hostile"
)

// TestNothing: what has nothing to do takes no time, however many rows or columns there are.
func TestNothing(t *testing.T) {
	hostile.Nothing(t,
		UnitLowerMatMul,
		UnitLowerMatMulPack,
		PolynomialGram,
		PolynomialGramPack,
		SymmetricBiasReLU,
		SymmetricBiasReLUPack,
	)
}
