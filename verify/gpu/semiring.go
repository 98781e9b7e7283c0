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
// SemiringDepth deep.
const (
	SemiringRows, SemiringCols = check.SemiringRows, check.SemiringCols
	SemiringDepth              = 130
)

// SemiringA and SemiringB are those operands.
func SemiringA(i, k int) float32 { return float32(check.SemiringA(i, k)) }

// SemiringB is described with [SemiringA].
func SemiringB(k, j int) float32 { return float32(check.SemiringB(k, j)) }

// Tabulated is the case of an operator that is known by examples: the bits of its
// sums over the first 0, 1, 2, ... SemiringDepth of the products of SemiringA and SemiringB, for
// each depth SemiringRows x SemiringCols of them. They are compared to the bit, for a thread
// sums in the order of k.
func Tabulated(c Case[float32, float32], bits []uint32) Case[float32, float32] {
	c.fill = func(p *check.FusedProblem[float32, float32]) {
		for k := range p.K {
			for i := range p.M {
				p.A.Set(i, k, SemiringA(i, k))
			}
			for j := range p.N {
				p.B.Set(k, j, SemiringB(k, j))
			}
		}
	}
	c.depth = SemiringDepth
	return c.With(func(p *check.FusedProblem[float32, float32], i, j int) (sum, abs float64, roundings int) {
		at := (p.K*SemiringRows+i%SemiringRows)*SemiringCols + j%SemiringCols
		return float64(math.Float32frombits(bits[at])), 0, 0
	})
}
