package machine

import (
	"slices"

	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// SlowBF16 reports whether a processor adds products of pairs of bf16 (VDPBF16PS) at less
// than half the rate of multiply-adds of f32. Code that widens is then faster. An Intel
// server core from Sapphire Rapids on does one in four cycles. Other cores with the
// instruction are faster or have not been measured; for those this returns false.
func SlowBF16(c CPU) bool {
	return c.Vendor == intel && c.Family == 6 && slices.Contains([]int{0x8f, 0xcf}, c.Model)
}

// A Step is how a core adds products to sums. It uses one instruction, of which it starts
// Rate a cycle for a vector of sums each, or one instruction for many vectors. The next of
// the same sums waits for Latency cycles, and each does AtOnce steps of K products.
type Step struct {
	By            string // the instruction: FMA, VDPBF16PS, VPDPBUSD, VPDPWSSD, VPMADDWD, TDPBF16PS or TDPBSSD
	Rate, Latency float64
	K, AtOnce     int
}

// For products of two tiles see Intel 248966, "Intel AMX". One of 16 rows starts every 16
// cycles, one of fewer rows sooner, and its sums are ready after 52. A row is a vector of 64
// bytes, for sixteen steps.
const (
	tileRows    = 16.0
	tileLatency = 52.0
)

// Step returns the step of kernels for an instruction set. They take depth k a step, where
// 0 or 1 stands for multiply-adds, and read so many steps at once. Dot products of bytes
// and of int16 start as often as multiply-adds on every core that has them.
func (m *Machine) Step(isa string, depth, atOnce int) Step {
	u, i := m.Of(isa), isaset.ByName(isa)
	s := Step{"FMA", u.FMA, u.Latency, max(1, depth), max(1, atOnce)}
	slower := func(by string, rate float64) Step {
		if s.By = by; rate > 0 {
			s.Rate = rate
		}
		return s
	}
	switch {
	case depth < 2 || i == nil:
		return s
	case atOnce > 1:
		s.By, s.Rate, s.Latency = "TDPBSSD", tileRows, tileLatency
		if depth == 2 {
			s.By = "TDPBF16PS"
		}
		return slower(s.By, u.Tiles)
	case depth == 4:
		s.By = "VPDPBUSD"
		return s
	case i.Includes("avx512bf16"):
		return slower("VDPBF16PS", u.BF16)
	case i.Includes("avx512vnni"), i.Includes("avxvnni"):
		s.By = "VPDPWSSD"
		return s
	}
	return slower("VPMADDWD", u.Pairs)
}

// StepCeiling is the operations a second of one core, two for a product, with steps of s
// for sums of so many bytes.
func (m *Machine) StepCeiling(isa string, size int, s Step) float64 {
	return m.Ceiling(isa, size) / m.Of(isa).FMA * s.Rate * float64(s.K)
}
