package choose

import "github.com/tilesmith/tilesmith/tiling/machine"

// slowDots reports whether the dot products of bf16 are slower on this processor than
// widening both operands and adding up their products. See
// docs/rationale/narrow.md, "A dot product is not always the default".
var slowDots = func(isa string) bool { return isa == "avx512bf16" && machine.SlowBF16(machine.ThisCPU()) }
