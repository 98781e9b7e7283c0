package tensors_test

import (
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gen/examples/tensors"
	"github.com/tilesmith/tilesmith/layout"
)

// TestGradientLimits: the gradient of an equation has its limits at infinities.
func TestGradientLimits(t *testing.T) {
	inf := float32(math.Inf(1))
	x, g := []float32{-inf, inf, inf, -inf}, []float32{3, 3, -2, inf}
	want := []float32{0, 3, -2, 0}
	for _, isa := range run.ISAs() {
		got := make([]float32, len(x))
		row := func(v []float32) layout.Matrix[float32] { return layout.RowMajor(v, 1, len(v)) }
		tensors.GELUBackwardOpt(run.Options{ISA: isa}, row(got), row(x), row(g))
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("isa=%s: GELUBackward(%v, %v) is %v, want %v", isa, x[i], g[i], got[i], want[i])
			}
		}
	}
}
