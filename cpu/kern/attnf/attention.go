package attnf

import (
	"github.com/tilesmith/tilesmith/cpu/kern/sddmmf"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/graph"
)

// SetF32 and SetF64 are graph attention with every variant of its kernels.
var (
	SetF32 = graph.Attention[float32]{Name: "cpu.GraphAttention", SDDMM: &sddmmf.SetF32, Variants: KernelsF32}
	SetF64 = graph.Attention[float64]{Name: "cpu.GraphAttention", SDDMM: &sddmmf.SetF64, Variants: KernelsF64}
)
