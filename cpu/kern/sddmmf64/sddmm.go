package sddmmf64

import "github.com/tilesmith/tilesmith/cpu/run"

// Set is the sampled product with every variant of its kernels.
var Set = run.SampledSet[float64]{Name: "cpu.SDDMM", Variants: Kernels}
