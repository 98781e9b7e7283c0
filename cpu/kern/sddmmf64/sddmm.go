package sddmmf64

import "github.com/tilesmith/tilesmith/cpu/run/spblas"

// Set is the sampled product with every variant of its kernels.
var Set = spblas.SampledSet[float64]{Name: "cpu.SDDMM", Variants: Kernels}
