package gpu

import (
	"math"

	"github.com/tilesmith/tilesmith/verify/check"
)

// MaxPlus are the sums of gemm.MaxPlus, for [Case.With]: the largest of a + b, each
// rounded once.
func MaxPlus(p *check.FusedProblem[float32, float32], i, j int) (sum, abs float64, roundings int) {
	sum = math.Inf(-1)
	for k := range p.K {
		sum = max(sum, float64(p.A.At(i, k)+p.B.At(k, j)))
	}
	return sum, 0, 0
}

// The operands of a tabulated case are those of package check, periodic and at most
// RingDepth deep.
const (
	RingRows, RingCols = check.RingRows, check.RingCols
	RingDepth          = 130
)

// RingA and RingB are those operands.
func RingA(i, k int) float32 { return float32(check.RingA(i, k)) }

// RingB is described with [RingA].
func RingB(k, j int) float32 { return float32(check.RingB(k, j)) }

// Tabulated is the case of an operator that is known by examples: the bits of its
// sums over the first 0, 1, 2, ... RingDepth of the products of RingA and RingB, for
// each depth RingRows x RingCols of them. They are compared to the bit, for a thread
// sums in the order of k.
func Tabulated(c Case[float32, float32], bits []uint32) Case[float32, float32] {
	c.fill = func(p *check.FusedProblem[float32, float32]) {
		for k := range p.K {
			for i := range p.M {
				p.A.Set(i, k, RingA(i, k))
			}
			for j := range p.N {
				p.B.Set(k, j, RingB(k, j))
			}
		}
	}
	c.depth = RingDepth
	return c.With(func(p *check.FusedProblem[float32, float32], i, j int) (sum, abs float64, roundings int) {
		at := (p.K*RingRows+i%RingRows)*RingCols + j%RingCols
		return float64(math.Float32frombits(bits[at])), 0, 0
	})
}
