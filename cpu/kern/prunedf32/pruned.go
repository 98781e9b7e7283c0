package prunedf32

import "github.com/tilesmith/tilesmith/cpu/run/spblas"

// Set is the product of pruned weights with every variant of its kernels.
var Set = spblas.PrunedSet[float32]{Name: "cpu.MulPruned", Variants: Kernels}
