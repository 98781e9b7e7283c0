package fused

import (
	"testing"

	"github.com/tilesmith/tilesmith/verify/check"
)

// TestNothing: what has nothing to do takes no time, however many rows or columns there are.
func TestNothing(t *testing.T) {
	check.Nothing(t,
		Assign,
		AssignPack,
		Brain,
		BrainGELU,
		BrainGELUGrouped,
		BrainGELUPack,
		BrainGrouped,
		BrainPack,
		Contrast,
		ContrastPack,
		DenseErf,
		DenseErfPack,
		DenseGELU,
		DenseGELUDouble,
		DenseGELUDoublePack,
		DenseGELUPack,
		Gate,
		GatePack,
		Half,
		HalfPack,
		HalfResidual,
		HalfResidualPack,
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
