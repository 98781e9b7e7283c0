package prunedf64

import "github.com/tilesmith/tilesmith/cpu/run/spblas"

// Set is the product of pruned weights with every variant of its kernels.
var Set = spblas.PrunedSet[float64]{Name: "cpu.MulPruned", Variants: Kernels}
