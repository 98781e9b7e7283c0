package attnf64

import (
	"github.com/tilesmith/tilesmith/cpu/kern/sddmmf64"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/graph"
)

// Set is graph attention with every variant of its kernels.
var Set = graph.Attention[float64]{Name: "cpu.GraphAttention", SDDMM: &sddmmf64.Set, Variants: Kernels}
