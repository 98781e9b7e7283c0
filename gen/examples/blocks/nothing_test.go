package blocks

import (
	"testing"

	"github.com/tilesmith/tilesmith/verify/check/hostile"
)

// TestNothing: what has nothing to do takes no time, however many rows or columns there are.
func TestNothing(t *testing.T) {
	hostile.Nothing(t,
		BRGEMM16BF16,
		BRGEMM32BF16,
		BRGEMM64BF16,
		BRGEMMBiasReLU,
		BRGEMMCount9,
		BRGEMM16,
		BRGEMM32,
		BRGEMM64,
		BRGEMMInt16,
	)
}
