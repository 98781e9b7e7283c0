package attnf32

import (
	"github.com/tilesmith/tilesmith/cpu/kern/sddmmf32"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/graph"
)

// Set is graph attention with every variant of its kernels.
var Set = graph.Attention[float32]{Name: "cpu.GraphAttention", SDDMM: &sddmmf32.Set, Variants: Kernels}
