package attnf32

import (
	"github.com/tilesmith/tilesmith/cpu/kern/sddmmf32"
	"github.com/tilesmith/tilesmith/cpu/run"
)

// Set is graph attention with every variant of its kernels.
var Set = run.AttentionSet[float32]{Name: "cpu.GraphAttention", Sampled: &sddmmf32.Set, Variants: Kernels}
