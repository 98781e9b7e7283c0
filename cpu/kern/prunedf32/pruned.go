package prunedf32

import "github.com/tilesmith/tilesmith/cpu/run/spblas/rows"

// Set is the product of pruned weights with every variant of its kernels.
var Set = rows.PrunedSet[float32]{Name: "cpu.MulPruned", Variants: Kernels}
