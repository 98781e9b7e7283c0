package bsrf64

import "github.com/tilesmith/tilesmith/cpu/run"

// Set is the product of dense blocks with every variant of its kernels.
var Set = run.BlockSet[float64]{Name: "cpu.SpMMBlocks", Variants: Kernels}
