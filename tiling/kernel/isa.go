package kernel

import "golang.org/x/sys/cpu"

// ISA is an instruction set that kernels are written for. It answers what lowering
// asks, and how the run time finds out whether a machine has it. A new one is one more
// value.
type ISA struct {
	Name   string // "avx512": as users and file names spell it
	GOARCH string
	// Extends is the set whose instructions it also has, or nil. That set stands in where a
	// kernel has no variant of its own, and where a machine's data has none of its own.
	Extends *ISA

	Bits int // width of a vector register
	Regs int // vector registers

	SlowMask bool // masks are vectors, and masked stores cost much
	Streams  bool // there are stores past the caches
	OnePort  bool // some cores permute the widest vectors on a port of the multiply-adds only: Intel's

	has func() bool
}

// Has reports whether this machine has the instructions; it heeds GODEBUG=cpu.*. It says
// nothing about the build, which may have no assembly.
func (i *ISA) Has() bool { return i.has() }

// Includes reports whether i is the set of that name, or extends it.
func (i *ISA) Includes(name string) bool {
	for ; i != nil; i = i.Extends {
		if i.Name == name {
			return true
		}
	}
	return false
}

// Plain returns the name of the set that the one called name extends in the end. It decides
// on registers and speed, except for what the extension adds. If name extends none, or is
// not a set, Plain returns name.
func Plain(name string) string {
	for i := ByName(name); i != nil; i = i.Extends {
		name = i.Name
	}
	return name
}

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

// extend returns an instruction set that has what base has, and more where has is true.
func extend(base *ISA, name string, has func() bool) ISA {
	i := *base
	i.Name, i.Extends = name, base
	i.has = func() bool { return base.has() && has() }
	return i
}

// ISAs lists them, best first; what extends another stands right behind it, because most
// kernels use nothing of it.
var ISAs = []*ISA{&AVX512, &AVX512BF16, &AMXBF16, &AVX512VNNI, &AMXINT8, &AVX2, &AVXVNNI}

// ByName returns the instruction set of that name, nil if there is none.
func ByName(name string) *ISA {
	for _, i := range ISAs {
		if i.Name == name {
			return i
		}
	}
	return nil
}

func hasAVX512() bool {
	x := &cpu.X86
	return x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasBMI2 && x.HasFMA && x.HasF16C
}

func hasAVX2() bool {
	x := &cpu.X86
	return x.HasAVX2 && x.HasFMA && x.HasBMI2 && x.HasF16C
}
