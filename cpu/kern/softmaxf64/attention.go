package softmaxf64

import (
	"github.com/tilesmith/tilesmith/cpu/kern/gemmf64"
	"github.com/tilesmith/tilesmith/cpu/kern/maskf32"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/attention"
)

// Set is attention over blocks with every variant of its kernels.
var Set = attention.Set[float64]{Name: "cpu.BlockAttention", Variants: Kernels, Dense: dense, Masks: &maskf32.Set}

func dense() []*run.Kernels { return gemmf64.DGEMMSet().Variants }
