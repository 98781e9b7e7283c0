package prunedf

import "github.com/tilesmith/tilesmith/cpu/run/spblas/rows"

// SetF32 and SetF64 are the product of pruned weights with every variant of its kernels.
var (
	SetF32 = rows.PrunedSet[float32]{Name: "cpu.MulPruned", Variants: KernelsF32}
	SetF64 = rows.PrunedSet[float64]{Name: "cpu.MulPruned", Variants: KernelsF64}
)
