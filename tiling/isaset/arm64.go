package isaset

import "golang.org/x/sys/cpu"

// arm64 are the instruction sets of arm64. Every such machine has the vectors of NEON, which Arm's
// manual (DDI 0487) calls Advanced SIMD.
//
// GODEBUG=cpu.NAME=off works with the names of golang.org/x/sys/cpu: asimd for all of them,
// asimdfhm, asimddp and i8mm. Go's own runtime prints that it does not know the name. BF16 has
// none, and that of I8MM has no effect on Windows.
var arm64 = []*ISA{&NEON, &NEONBF16, &NEONFHM, &NEONDOT, &NEONI8MM}

// NEON has vectors of 128 bits, and selects by vectors where others have masks. Arm's pair of
// stores past the caches (STNP) is a hint that cores are free to ignore, so Streams is false.
var NEON = ISA{Name: "neon", GOARCH: "arm64", Bits: 128, Regs: 32, SlowMask: true, NoMask: true, Elements: true, has: func() bool { return cpu.ARM64.HasASIMD }}

// Instruction sets with products of narrow elements, by the names of Arm's features: of f16 added
// to f32 (FEAT_FHM: FMLAL), of pairs of bf16 (FEAT_BF16: BFDOT, BFMMLA), of four int8
// (FEAT_DotProd: SDOT, UDOT), and of tiles of these (FEAT_I8MM: SMMLA, USDOT).
var (
	NEONBF16 = extend(&NEON, "neonbf16", func() bool { return hasBF16() })
	NEONFHM  = extend(&NEON, "neonfhm", func() bool { return cpu.ARM64.HasASIMDFHM })
	NEONDOT  = extend(&NEON, "neondot", func() bool { return cpu.ARM64.HasASIMDDP })
	NEONI8MM = extend(&NEONDOT, "neoni8mm", func() bool { return cpu.ARM64.HasI8MM || hasI8MM() })
)
