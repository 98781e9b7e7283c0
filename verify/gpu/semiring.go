package gpu

import (
	"math"

	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/verify/check"
)

// MaxPlus are the sums of gemm.MaxPlus, for [Case.With]: the largest of a + b, each
// rounded once.
func MaxPlus(p *check.Problem, i, j int) (sum, abs float64, roundings int) {
	sum = math.Inf(-1)
	for k := range p.K {
		sum = max(sum, float64(float32(p.Load(check.A, i, k))+float32(p.Load(check.B, k, j))))
	}
	return sum, 0, 0
}

// TF32 are the sums of gemm.TF32, for [Case.With]: operands are rounded to 11 bits, halves
// away from zero.
func TF32(p *check.Problem, i, j int) (sum, abs float64, roundings int) {
	for k := range p.K {
		x := toTF32(float32(p.Load(check.A, i, k))) * toTF32(float32(p.Load(check.B, k, j)))
		sum, abs = sum+x, abs+math.Abs(x)
	}
	return sum, abs, p.K
}

// F16Sums are the sums of gemm.F16Sums, for [Case.With]: each step of K may round to 11 bits,
// to either side. The roundings that are counted are of f32, 2^-24 each.
func F16Sums(p *check.Problem, i, j int) (sum, abs float64, roundings int) {
	for k := range p.K {
		x := p.Load(check.A, i, k) * p.Load(check.B, k, j)
		sum, abs = sum+x, abs+math.Abs(x)
	}
	return sum, abs * (1 << 14), p.K
}

func toTF32(x float32) float64 {
	if x-x != 0 {
		return float64(x)
	}
	return float64(math.Float32frombits((math.Float32bits(x) + 1<<12) &^ (1<<13 - 1)))
}

// fmaChains are the sums of a kernel of single precision whose CTAs have span of K each of
// a tile. They are a fused multiplication and addition for each k, in order, and the sums of
// the spans added up in order. The bits are those of every GPU.
func fmaChains(span int) func(p *check.Problem, i, j int) (sum, abs float64, roundings int) {
	return func(p *check.Problem, i, j int) (sum, abs float64, roundings int) {
		total := float32(0)
		for first := 0; first < p.K; first += span {
			s := float32(0)
			for k := first; k < min(first+span, p.K); k++ {
				s = fma32(float32(p.Load(check.A, i, k)), float32(p.Load(check.B, k, j)), s)
			}
			total += s
		}
		return float64(total), 0, 0
	}
}

// fma32 is x*y + z, rounded once: what is rounded to odd on the way can be rounded again.
func fma32(x, y, z float32) float32 {
	p := float64(x) * float64(y) // exact
	s := p + float64(z)
	t := s - p
	if rest := (p - (s - t)) + (float64(z) - t); rest != 0 && math.Float64bits(s)&1 == 0 {
		to := math.Inf(1)
		if rest < 0 {
			to = math.Inf(-1)
		}
		s = math.Nextafter(s, to)
	}
	return float32(s)
}

// SemiringDepth is how deep the operands of a tabulated case are at most. They are those of package semiring, periodic.
const SemiringDepth = 130

// Tabulated is the case of an operator that is known by examples: the bits of its
// sums over the first 0, 1, 2, ... SemiringDepth of the products of semiring.SampleA and semiring.SampleB, for
// each depth semiring.SampleRows x semiring.SampleCols of them. They are compared to the bit, for a thread
// sums in the order of k.
func Tabulated(c Case, bits []uint32) Case {
	c.fill = func(p *check.Problem) {
		for k := range p.K {
			for i := range p.M {
				p.Store(check.A, i, k, semiring.SampleA(i, k))
			}
			for j := range p.N {
				p.Store(check.B, k, j, semiring.SampleB(k, j))
			}
		}
	}
	c.depth = SemiringDepth
	return c.With(func(p *check.Problem, i, j int) (sum, abs float64, roundings int) {
		at := (p.K*semiring.SampleRows+i%semiring.SampleRows)*semiring.SampleCols + j%semiring.SampleCols
		return float64(math.Float32frombits(bits[at])), 0, 0
	})
}
