package fused

import (
	"testing"

	"github.com/tilesmith/tilesmith/verify/check/hostile"
)

// TestNothing: what has nothing to do takes no time, however many rows or columns there are.
func TestNothing(t *testing.T) {
	hostile.Nothing(t,
		KMeansAssign,
		KMeansAssignPack,
		MatMulBF16,
		DenseGELUBF16,
		DenseGELUBF16Grouped,
		DenseGELUBF16Pack,
		MatMulBF16Grouped,
		MatMulBF16Pack,
		ContrastiveLogSumExp,
		ContrastiveLogSumExpPack,
		DenseGELUErf,
		DenseGELUErfPack,
		DenseGELU,
		DenseGELUF64,
		DenseGELUF64Pack,
		DenseGELUPack,
		DenseReLUAbs,
		DenseReLUAbsPack,
		MatMulF16,
		MatMulF16Pack,
		ResidualF16,
		ResidualF16Pack,
		Logits,
		LogitsPack,
		Moments,
		MomentsPack,
		Nearest,
		NearestPack,
		Requant,
		RequantPack,
		Residual,
		ResidualPack,
		Stats,
		StatsPack,
	)
}
