package tensors

import (
	"testing"

	"github.com/tilesmith/tilesmith/verify/check/hostile"
)

// TestNothing: what has nothing to do takes no time, however many rows or columns there are.
func TestNothing(t *testing.T) {
	hostile.Nothing(t,
		BatchNorm,
		ElementwiseChain,
		Copy,
		Dropout,
		DropoutMask,
		ArgMaxArgMin,
		GELU,
		GELUBackward,
		LayerNorm,
		LayerNormBF16,
		LayerNormBackward,
		LogSoftmax,
		MaskBackward,
		MaskBackwardF64,
		LayerNormF64,
		LayerNormF64Backward,
		Products,
		QuantiseMX4,
		QuantiseMX8,
		RMSNorm,
		ReLUMask,
		DequantiseMX4,
		DequantiseMX8,
		Softmax,
		SoftmaxBackward,
		SplitSGD,
		Statistics,
	)
}
