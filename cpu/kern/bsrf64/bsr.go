package bsrf64

import "github.com/tilesmith/tilesmith/cpu/run/spblas/rows"

// Set is the product of dense blocks with every variant of its kernels.
var Set = rows.BlockSet[float64]{Name: "cpu.SpMMBlocks", Variants: Kernels}
