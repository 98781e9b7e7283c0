package check

import (
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/reduce"
)

// layer is a fused product in plain Go: relu(a*b*scale[i] + bias[j]) with the value
// before the activation, the maximum of each row and the sum of each column.
type layer struct {
	skipK, noBias, biasByRow, noScale, noRelu, swapOuts, gap, lastCol, maxOfPre, dropSum bool
	lossy                                                                                float64 // relative error of the result
}

func (l layer) run(p *Problem) {
	matrix := Get[layout.Matrix[float32]]
	out, pre, a, b := matrix(p, 0), matrix(p, 1), matrix(p, A), matrix(p, B)
	scale, bias := Get[[]float32](p, 2), Get[[]float32](p, 3)
	mass := Get[[]float32](p, 5)
	peak := make([]float32, p.M)
	if len(p.c.Slots) > 4 && p.c.Slots[4].Reduced {
		peak = Get[[]float32](p, 4)
	}
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
				sum += a.At(i, x) * b.At(x, j)
			}
			s, add := scale[i], bias[j]
			switch {
			case l.noScale:
				s = 1
			case l.noBias:
				add = 0
			case l.biasByRow:
				add = bias[i%p.N]
			}
			y := sum*s + add
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

// described is the layer as a case.
func (l layer) described() Case {
	f := Slot{Type: dtype.F32}
	slots := []Slot{f, f, f, f, f, f}
	slots[0].Out, slots[1].Out, slots[2].Row, slots[3].Col = true, true, true, true
	slots[4] = Slot{Name: "peak", Type: dtype.F32, Reduced: true, Reduce: reduce.Max, Row: true}
	slots[5] = Slot{Name: "mass", Type: dtype.F32, Reduced: true, Reduce: reduce.Sum, Col: true}
	return Case{
		Name: "layer", MR: 3, NR: 8, KC: 16, A: dtype.F32, B: dtype.F32, Acc: dtype.F32, Slots: slots, Call: l.run,
		Results: func(p *Problem, sum float64, i, j int) []float64 {
			y := float32(sum)*float32(p.At(2, i, j)) + float32(p.At(3, i, j))
			return []float64{float64(max(y, 0)), float64(y)}
		},
	}
}

func (l layer) check(t TB) { Run(t, func(int) Case { return l.described() }) }

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
