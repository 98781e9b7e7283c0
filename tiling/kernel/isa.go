package kernel

import "golang.org/x/sys/cpu"

// ISA is an instruction set that kernels are written for: what lowering asks of it, and
// how the run time finds out whether a machine has it. A new one is one more value.
type ISA struct {
	Name   string // "avx512": as users and file names spell it
	GOARCH string
	Bits   int // width of a vector register
	Regs   int // vector registers

	SlowMask bool // masks are vectors, and masked stores cost much
	Streams  bool // there are stores past the caches
	OnePort  bool // some cores permute the widest vectors on a port of the multiply-adds only: Intel's

	has func() bool
}

// Has reports whether this machine has the instructions; it heeds GODEBUG=cpu.*. It says
// nothing about the build, which may have no assembly.
func (i *ISA) Has() bool { return i.has() }

// The instruction sets.
var (
	AVX512 = ISA{Name: "avx512", GOARCH: "amd64", Bits: 512, Regs: 32, Streams: true, OnePort: true, has: hasAVX512}
	AVX2   = ISA{Name: "avx2", GOARCH: "amd64", Bits: 256, Regs: 16, SlowMask: true, Streams: true, has: hasAVX2}
)

// ISAs lists them, best first.
var ISAs = []*ISA{&AVX512, &AVX2}

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
