package tiling

import "fmt"

// Bandwidth is what one core moves between its registers and one level of memory, in
// bytes/s.
type Bandwidth struct {
	Read, Write float64
	// The same for a few lines of each page in turn, as in a narrow panel of a wide
	// matrix: no prefetcher crosses pages, and each has to be looked up.
	ReadPieces, WritePieces float64
	// The same where rows are a power of two apart and share a few sets of a cache.
	ReadAliased, WriteAliased float64
}

// Hardware is what [Plan.Predict] knows of a machine. [Reference] is one; package
// verify/roof measures the one it runs on.
type Hardware struct {
	Name         string
	Clock        float64 // Hz: a quarter of the rate at which one multiply-add waits for another
	FMA32, FMA64 float64 // flop/s of one core from registers, in float32 and float64
	Vector       int     // bytes of a register
	L1, L2, L3   Bandwidth
	Memory       Bandwidth
	Caches       Caches // of L3 what a core has of it, which others share
	Cores        int
	Together     float64 // bytes/s that all cores read from memory
}

// Reference returns the machine that predictions are made for if nobody measured one:
// a Zen 5 EPYC core in a virtual machine, by what verify/roof found there with
// kernels for isa ("avx512", "avx2" or "go"). It is the same everywhere.
func Reference(isa string) Hardware {
	h := Hardware{
		Name: "Zen 5 EPYC", Clock: 4.2e9, Cores: 2, Together: 60e9,
		Caches: Caches{48 << 10, 1 << 20, 20 << 20},
	}
	switch isa {
	case "avx512":
		h.Vector, h.FMA32, h.FMA64 = 64, 268.8e9, 134.4e9
		h.L1 = Bandwidth{528e9, 268e9, 528e9, 268e9, 528e9, 268e9}
		h.L2 = Bandwidth{262e9, 262e9, 222e9, 170e9, 71e9, 20e9}
	case "avx2":
		h.Vector, h.FMA32, h.FMA64 = 32, 134.4e9, 67.2e9
		h.L1 = Bandwidth{262e9, 262e9, 262e9, 262e9, 262e9, 262e9}
		h.L2 = Bandwidth{256e9, 256e9, 125e9, 130e9, 50e9, 15e9}
	default:
		h.Vector, h.FMA32, h.FMA64 = 4, 18.5e9, 18.5e9
		h.L1 = Bandwidth{33e9, 33e9, 33e9, 33e9, 33e9, 33e9}
		h.L2 = h.L1
	}
	h.L3 = Bandwidth{122e9, 116e9, 63e9, 43e9, 33e9, 17e9}
	h.Memory = Bandwidth{44e9, 34e9, 35e9, 18e9, 20e9, 8e9}
	return h
}

// Ceiling is the flop/s of one core for elements of size bytes.
func (h *Hardware) Ceiling(size int) float64 {
	if size == 8 {
		return h.FMA64
	}
	return h.FMA32
}

// String says what the machine is, in one line.
func (h Hardware) String() string {
	return fmt.Sprintf("%s: %.0f GFLOP/s f32, %.0f f64 a core; L1 %.0f, L2 %.0f, L3 %.0f, memory %.0f GB/s",
		h.Name, h.FMA32/1e9, h.FMA64/1e9, h.L1.Read/1e9, h.L2.Read/1e9, h.L3.Read/1e9, h.Memory.Read/1e9)
}
