package sddmmf32

import "github.com/tilesmith/tilesmith/cpu/run/spblas"

// Set is the sampled product with every variant of its kernels, Pattern the same of a
// matrix whose values do not count.
var (
	Set     = spblas.SDDMM[float32]{Name: "cpu.SDDMM", Variants: Kernels}
	Pattern = spblas.SDDMM[float32]{Name: "cpu.SDDMM", Variants: Kernels, Pattern: true}
)
