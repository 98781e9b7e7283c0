package tensors

import (
	"testing"

	"github.com/tilesmith/tilesmith/verify/check"
)

// TestNothing: what has nothing to do takes no time, however many rows or columns there are.
func TestNothing(t *testing.T) {
	check.Nothing(t,
		BatchNorm,
		Chain,
		Copy,
		Dropout,
		DropoutMask,
		Extremes,
		GELU,
		GELUBackward,
		LayerNorm,
		LayerNormBF16,
		LayerNormBackward,
		LogSoftmax,
		MaskBackward,
		MaskDouble,
		NormDouble,
		NormDoubleBackward,
		Products,
		QuantiseMX4,
		QuantiseMX8,
		RMSNorm,
		ReLUMask,
		RestoreMX4,
		RestoreMX8,
		Softmax,
		SoftmaxBackward,
		SplitSGD,
		Statistics,
	)
}
