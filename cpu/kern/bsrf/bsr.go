package bsrf

import "github.com/tilesmith/tilesmith/cpu/run/spblas/rows"

// SetF32 and SetF64 are the product of dense blocks with every variant of its kernels.
var (
	SetF32 = rows.BlockSet[float32]{Name: "cpu.SpMMBlocks", Variants: KernelsF32}
	SetF64 = rows.BlockSet[float64]{Name: "cpu.SpMMBlocks", Variants: KernelsF64}
)
