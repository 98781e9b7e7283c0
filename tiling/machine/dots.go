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
	By            string // the instruction: FMA, VDPBF16PS, VPDPBUSD, VPDPWSSD, VPMADDWD, TDPBF16PS, TDPBSSD, or as [Machine.Step] has it of arm64
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
// and of int16 start as often as multiply-adds on every core that has them. On arm64, pairs of
// bf16 are by BFMMLA, fours of bytes by SMMLA where several are read at once and else by SDOT, and
// pairs of int16 by SMLAL twice.
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
	case i.GOARCH == "arm64":
		return armStep(s, i, u)
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

// armStep is [Machine.Step] for an instruction set of arm64, of the depth that s has. The guide of
// Neoverse V2 gives all of these the rate of multiply-adds, and so it is here if data do not say
// otherwise. A product of two rows by two columns (BFMMLA, SMMLA) has four sums, a vector, and does two steps of each.
func armStep(s Step, i *isaset.ISA, u *Units) Step {
	squares, rate := s.AtOnce > 1, 0.0
	s.AtOnce = 1
	switch {
	case i.Includes("neonbf16") && s.K == 2 && squares:
		s.By, rate = "BFMMLA", 2*u.BF16
	case i.Includes("neoni8mm") && s.K == 4 && squares:
		s.By = "SMMLA"
	case i.Includes("neondot") && s.K == 4:
		s.By = "SDOT"
		return s
	default:
		s.By, rate, squares = "SMLAL", u.Pairs, false
	}
	switch {
	case rate > 0:
		s.Rate = rate
	case squares:
		s.Rate *= 2
	}
	return s
}

// StepCeiling is the operations a second of one core, two for a product, with steps of s
// for sums of so many bytes.
func (m *Machine) StepCeiling(isa string, size int, s Step) float64 {
	return m.Ceiling(isa, size) / m.Of(isa).FMA * s.Rate * float64(s.K)
}
