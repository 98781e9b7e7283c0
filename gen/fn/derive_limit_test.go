package fn

import (
	"math"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	tensor "github.com/tilesmith/tilesmith/gemm/tpp/op"
	"github.com/tilesmith/tilesmith/gen/fn/testdata/fntest"
)

// TestDerivativeLimits pins what derivatives are at infinities: the limit, where there is
// one. A piece that does not depend on the operand adds 0 there, and not 0 times an infinity.
func TestDerivativeLimits(t *testing.T) {
	p := load(t)
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		of64, of32      any
		rest            []float64 // the operands after x
		atMinus, atPlus float64   // the derivatives by x at -Inf and Inf
	}{
		{act.Clamp[float64], act.Clamp[float32], []float64{-1, 2}, 0, 0},
		{act.ELU[float64], act.ELU[float32], []float64{1}, 0, 1},
		{act.GELU[float64], act.GELU[float32], nil, 0, 1},
		{act.GELUErf[float64], act.GELUErf[float32], nil, 0, 1},
		{act.HardSigmoid[float64], act.HardSigmoid[float32], nil, 0, 0},
		{act.HardSwish[float64], act.HardSwish[float32], nil, 0, 1},
		{act.Identity[float64], act.Identity[float32], nil, 1, 1},
		{act.LeakyReLU[float64], act.LeakyReLU[float32], []float64{.25}, .25, 1},
		{act.Mish[float64], act.Mish[float32], nil, 0, 1},
		{act.ReLU[float64], act.ReLU[float32], nil, 0, 1},
		{act.Sigmoid[float64], act.Sigmoid[float32], nil, 0, 0},
		{act.SiLU[float64], act.SiLU[float32], nil, 0, 1},
		{act.Softplus[float64], act.Softplus[float32], nil, 0, 1},
		{act.Tanh[float64], act.Tanh[float32], nil, 0, 0},
		{act.DClamp[float64], act.DClamp[float32], []float64{-1, 2}, 0, 0},
		{act.DELU[float64], act.DELU[float32], []float64{1}, 0, 0},
		{act.DGELU[float64], act.DGELU[float32], nil, 0, 0},
		{act.DGELUErf[float64], act.DGELUErf[float32], nil, 0, 0},
		{act.DHardSigmoid[float64], act.DHardSigmoid[float32], nil, 0, 0},
		{act.DHardSwish[float64], act.DHardSwish[float32], nil, 0, 0},
		{act.DLeakyReLU[float64], act.DLeakyReLU[float32], []float64{.25}, 0, 0},
		{act.DMish[float64], act.DMish[float32], nil, 0, 0},
		{act.DReLU[float64], act.DReLU[float32], nil, 0, 0},
		{act.DSigmoid[float64], act.DSigmoid[float32], nil, 0, 0},
		{act.DSiLU[float64], act.DSiLU[float32], nil, 0, 0},
		{act.DSoftplus[float64], act.DSoftplus[float32], nil, 0, 0},
		{act.DTanh[float64], act.DTanh[float32], nil, 0, 0},
		{fntest.Saturated[float64], fntest.Saturated[float32], nil, 1, 1},
		{tensor.Add[float64], tensor.Add[float32], []float64{3}, 1, 1},
		{tensor.Sub[float64], tensor.Sub[float32], []float64{3}, 1, 1},
		{tensor.Mul[float64], tensor.Mul[float32], []float64{3}, 3, 3},
		{tensor.Div[float64], tensor.Div[float32], []float64{4}, .25, .25},
		{tensor.Max[float64], tensor.Max[float32], []float64{3}, 0, 1},
		{tensor.Min[float64], tensor.Min[float32], []float64{3}, 1, 0},
		{tensor.MulAdd[float64], tensor.MulAdd[float32], []float64{3, 5}, 3, 3},
		{tensor.NMulAdd[float64], tensor.NMulAdd[float32], []float64{3, 5}, -3, -3},
		{tensor.Select[float64], tensor.Select[float32], []float64{3, 5}, 0, 0},
		{tensor.Greater[float64], tensor.Greater[float32], []float64{3}, 0, 0},
		{tensor.AtLeast[float64], tensor.AtLeast[float32], []float64{3}, 0, 0},
		{tensor.Equal[float64], tensor.Equal[float32], []float64{3}, 0, 0},
		{tensor.Neg[float64], tensor.Neg[float32], nil, -1, -1},
		{tensor.Inc[float64], tensor.Inc[float32], nil, 1, 1},
		{tensor.Square[float64], tensor.Square[float32], nil, -inf, inf},
		{tensor.Abs[float64], tensor.Abs[float32], nil, -1, 1},
		{tensor.Sqrt[float64], tensor.Sqrt[float32], nil, nan, 0},
		{tensor.Reciprocal[float64], tensor.Reciprocal[float32], nil, 0, 0},
		{tensor.RSqrt[float64], tensor.RSqrt[float32], nil, nan, 0},
		{tensor.Exp[float64], tensor.Exp[float32], nil, 0, inf},
		{tensor.Log[float64], tensor.Log[float32], nil, 0, 0}, // 1/x, beyond where the function is a number, too
		{tensor.Shift[float64], tensor.Shift[float32], nil, 0, 1},
		{tensor.Share[float64], tensor.Share[float32], nil, 0, 0},
		{tensor.LogShare[float64], tensor.LogShare[float32], nil, 0, 0},
		{tensor.First[float64], tensor.First[float32], []float64{3}, 1, 1},
		{tensor.Where[float64], tensor.Where[float32], []float64{3, 5}, 0, 0},
		{tensor.Positive[float64], tensor.Positive[float32], nil, 0, 0},
		{tensor.Only[float64], tensor.Only[float32], []float64{3}, 0, 0},
		{tensor.Keep[float64], tensor.Keep[float32], []float64{1, 9, 2}, 0, 0},
		{tensor.Keep[float64], tensor.Keep[float32], []float64{9, 1, 2}, 2, 2},
	} {
		for _, of := range []any{c.of64, c.of32} {
			d := derivativeOf(t, p, emit.Derivative{Of: of, By: []int{0}})
			k := newKernel(t, d, false)
			for _, x := range []struct{ at, want float64 }{{-inf, c.atMinus}, {inf, c.atPlus}} {
				in := append(append([]float64{x.at}, c.rest...), 1)
				if got := run1(t, k, in...)[0]; got != x.want && !(got != got && x.want != x.want) {
					t.Errorf("%s at %v: %v, want %v", d.Name, in, got, x.want)
				}
			}
		}
	}
}

// TestBackwardLimits does it for the function that ends a product's gradients: gradients by the sum, by a bias and by a factor.
func TestBackwardLimits(t *testing.T) {
	p := derivation(t)
	back := gemm.Map3(scaledGELU, gemm.PerColumn[float64]("bias"), gemm.Full[float64]("gain")).Backward()
	d := derivativeOf(t, p, back.Fusion().Fn)
	inf := math.Inf(1)
	for _, c := range []struct{ at, want []float64 }{ // acc, bias, gain, dy
		{[]float64{inf, 1, 2, 3}, []float64{6, 6, inf}},
		{[]float64{1, inf, 2, 3}, []float64{6, 6, inf}},
		{[]float64{-inf, 1, 2, 3}, []float64{0, 0, 3 * act.GELU(-inf)}},
		{[]float64{-inf, 1, inf, 3}, []float64{0, 0, 3 * act.GELU(-inf)}},
	} {
		if got := run1(t, newKernel(t, d, false), c.at...); !slices.Equal(got, c.want) {
			t.Errorf("%s at %v: %v, want %v", d.Name, c.at, got, c.want)
		}
	}
}

func scaledGELU(acc, bias, gain float64) float64 { return gain * act.GELU(acc+bias) }
