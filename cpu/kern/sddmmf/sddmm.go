package sddmmf

import "github.com/tilesmith/tilesmith/cpu/run/spblas/graph"

// SetF32 and SetF64 are the sampled product with every variant of its kernels, PatternF32 and
// PatternF64 the same of a matrix whose values do not count.
var (
	SetF32     = graph.SDDMM[float32]{Name: "cpu.SDDMM", Variants: KernelsF32}
	SetF64     = graph.SDDMM[float64]{Name: "cpu.SDDMM", Variants: KernelsF64}
	PatternF32 = graph.SDDMM[float32]{Name: "cpu.SDDMM", Variants: KernelsF32, Pattern: true}
	PatternF64 = graph.SDDMM[float64]{Name: "cpu.SDDMM", Variants: KernelsF64, Pattern: true}
)
