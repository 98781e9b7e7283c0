package check

import (
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// layer is a fused product in plain Go: relu(a*b*scale[i] + bias[j]) with the value
// before the activation, the maximum of each row and the sum of each column.
type layer struct {
	skipK, noBias, biasByRow, noScale, noRelu, swapOuts, gap, lastCol, maxOfPre, dropSum bool
	lossy                                                                                float64 // relative error of the result
}

func (l layer) run(p *FusedProblem[float32, float32]) {
	out, pre := OutOf[float32](p, 0), OutOf[float32](p, 1)
	scale, bias := RowOf[float32](p, 2), ColumnOf[float32](p, 3)
	peak, mass := ReducedOf[float32](p, 4, p.M), ReducedOf[float32](p, 5, p.N)
	for i := range peak {
		peak[i] = float32(math.Inf(-1))
	}
	clear(mass)
	for i := range p.M {
		for j := range p.N {
			k := p.K
			if l.skipK && k > 1 {
				k--
			}
			var sum float32
			for x := range k {
				sum += p.A.At(i, x) * p.B.At(x, j)
			}
			s, b := scale[i], bias[j]
			switch {
			case l.noScale:
				s = 1
			case l.noBias:
				b = 0
			case l.biasByRow:
				b = bias[i%p.N]
			}
			y := sum*s + b
			z := max(y, 0)
			if l.noRelu {
				z = y
			}
			z *= float32(1 + l.lossy)
			if l.lastCol && j == p.N-1 && j > 0 {
				z = sum
			}
			if l.swapOuts {
				y, z = z, y
			}
			out.Set(i, j, z)
			pre.Set(i, j, y)
			if l.maxOfPre {
				peak[i] = max(peak[i], y)
			} else {
				peak[i] = max(peak[i], z)
			}
			if !l.dropSum || i%5 != 3 {
				mass[j] += z
			}
		}
		if l.gap && out.RowStride > p.N && i+1 < p.M {
			out.Data[i*out.RowStride+p.N] = 1
		}
	}
}

func (l layer) check(t TB) {
	Fused(t, FusedCase[float32, float32, float32]{
		Name: "layer", MR: 3, NR: 8, KC: 16, Outs: 2, Call: l.run,
		Results: func(p *FusedProblem[float32, float32], sum float32, i, j int) []float64 {
			y := sum*Nudged(p, 2, RowOf[float32](p, 2)[i]) + Nudged(p, 3, ColumnOf[float32](p, 3)[j])
			return []float64{float64(max(y, 0)), float64(y)}
		},
		Have: func(p *FusedProblem[float32, float32], o, i, j int) float64 {
			return float64(OutOf[float32](p, o).At(i, j))
		},
		Ulp: func(_ int, x float64) float64 { return Ulp[float32](x) },
		Reduces: []Reduced[float32, float32]{
			{Name: "peak", Op: Max, Have: func(p *FusedProblem[float32, float32], i int) float64 {
				return float64(ReducedOf[float32](p, 4, p.M)[i])
			}},
			{Name: "mass", Op: Sum, Col: true, Have: func(p *FusedProblem[float32, float32], i int) float64 {
				return float64(ReducedOf[float32](p, 5, p.N)[i])
			}},
		},
	})
}

// TestFused shows that a right layer passes and that each wrong one is caught.
func TestFused(t *testing.T) {
	layer{}.check(t)
	if level.Of(true, false, false) {
		t.Skip("tests the tests")
	}
	for name, wrong := range map[string]layer{
		"last k": {skipK: true}, "no bias": {noBias: true}, "bias by row": {biasByRow: true}, "no scale": {noScale: true},
		"no activation": {noRelu: true}, "outputs swapped": {swapOuts: true}, "gap written": {gap: true},
		"last column without epilogue": {lastCol: true}, "maximum of the other output": {maxOfPre: true},
		"a row missing in a sum": {dropSum: true}, "some units off": {lossy: 3e-6}, "bf16 result": {lossy: 2e-3},
	} {
		var r Recorder
		wrong.check(&r)
		if !r.Failed() {
			t.Errorf("%s: not caught", name)
		}
	}
}
