package isaset

import "golang.org/x/sys/cpu"

// x86 are the instruction sets of amd64.
var x86 = []*ISA{&AVX512, &AVX512BF16, &AMXBF16, &AVX512VNNI, &AMXINT8, &AVX2, &AVXVNNI}

// The instruction sets.
var (
	AVX512 = ISA{Name: "avx512", GOARCH: "amd64", Bits: 512, Regs: 32, Streams: true, OnePort: true, has: hasAVX512}
	AVX2   = ISA{Name: "avx2", GOARCH: "amd64", Bits: 256, Regs: 16, SlowMask: true, Streams: true, has: hasAVX2}
)

// Instruction sets that have dot products of narrow elements (of pairs of bf16, and of four
// int8 or pairs of int16), and those that have products of whole tiles of either. A system
// may have to be asked for tiles: see docs/rationale/narrow.md, "Tiles are requested from
// Linux".
var (
	AVX512BF16 = extend(&AVX512, "avx512bf16", func() bool { return cpu.X86.HasAVX512BF16 })
	AVX512VNNI = extend(&AVX512, "avx512vnni", func() bool { return cpu.X86.HasAVX512VNNI })
	AMXBF16    = withTiles(&AVX512BF16, "amxbf16", func() bool { return cpu.X86.HasAMXBF16 })
	AMXINT8    = withTiles(&AVX512VNNI, "amxint8", func() bool { return cpu.X86.HasAMXInt8 })
	AVXVNNI    = extend(&AVX2, "avxvnni", func() bool { return cpu.X86.HasAVXVNNI })
)

// withTiles is extend by tiles, which are not stored past the caches.
func withTiles(base *ISA, name string, has func() bool) ISA {
	i := extend(base, name, func() bool { return cpu.X86.HasAMXTile && has() && tiles() })
	i.Streams = false
	return i
}

func hasAVX512() bool {
	x := &cpu.X86
	return x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasBMI2 && x.HasFMA && x.HasF16C
}

func hasAVX2() bool {
	x := &cpu.X86
	return x.HasAVX2 && x.HasFMA && x.HasBMI2 && x.HasF16C
}
