package sweep

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse/mask"
)

// Masks of attention.
const (
	window      = "window" // 4096 tokens in blocks of 64, each of which sees those up to six away: a fifth of all
	blockTokens = 64
)

// maskOf makes the mask of a workload.
func maskOf(w Workload) (mask.Mask, error) {
	switch w.Matrix {
	case window:
		return mask.Band(w.M, blockTokens, 6)
	case given:
		return mask.Full(w.M, w.K, blockTokens)
	}
	return mask.Mask{}, fmt.Errorf("there is no sample mask %q", w.Matrix)
}
