package sddmmf32

import "github.com/tilesmith/tilesmith/cpu/run/spblas/graph"

// Set is the sampled product with every variant of its kernels, Pattern the same of a
// matrix whose values do not count.
var (
	Set     = graph.SDDMM[float32]{Name: "cpu.SDDMM", Variants: Kernels}
	Pattern = graph.SDDMM[float32]{Name: "cpu.SDDMM", Variants: Kernels, Pattern: true}
)
