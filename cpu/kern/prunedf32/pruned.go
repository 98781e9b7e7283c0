package prunedf32

import "github.com/tilesmith/tilesmith/cpu/run"

// Set is the product of pruned weights with every variant of its kernels.
var Set = run.PrunedSet[float32]{Name: "cpu.MulPruned", Variants: Kernels}
