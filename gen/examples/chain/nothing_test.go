package chain

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run/equation"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/verify/check/hostile"
)

// TestNothing: what has nothing to do takes no time, however many rows there are, with products of whatever width.
func TestNothing(t *testing.T) {
	for _, m := range hostile.Huge {
		for i := range 4 {
			n0, n1 := 3*(i&1), 3*(i>>1)
			f := hostile.Matrix[float32]
			d := hostile.Matrix[float64]
			out, x, wide := f(m, 0), f(m, n0), d(m, n0)
			for name, call := range map[string]func(){
				"Attention": func() { Attention(out, x, f(n1, n0), f(n1, 0), 1) },
				"SwiGLU":    func() { SwiGLU(out, x, f(n0, n1), f(n0, n1), f(n1, 0)) },
				"MLPF64":    func() { MLPF64(d(m, 0), wide, d(n0, n1), make([]float64, n1), d(n1, 0)) },
				"MLP": func() {
					MLP(out, x, make([]float32, n0), make([]float32, n0), 1, f(n0, n1), make([]float32, n1), f(n1, 0))
				},
				"BatchNormMLP": func() { BatchNormMLP(out, f(m, 0), x, f(n0, 0), nil, nil, 1, f(0, 0)) },
				"Add":          func() { Add(out, x, layout.Matrix[float32]{Rows: n0}) },
				"MLPF64Backward": func() {
					MLPF64Backward(d(m, n0), make([]float64, n1), wide, d(n0, n1), make([]float64, n1), d(n1, 0), d(m, 0))
				},
				"ColumnStats": func() {
					ColumnStats(out, nil, nil, new(float32), nil, x, f(n0, 0), 1, 1, equation.Stream{})
				},
			} {
				hostile.AtOnce(t, fmt.Sprintf("%s of %d rows by %d by %d", name, m, n0, n1), call)
			}
		}
	}
	hostile.Nothing(t, Add, Attention, BiasGELU, ColumnStats, SwiGLU, MLPBF16, MLPF64, MLPF64Backward, MLP, BatchNormMLP, QuantisedMatMul, MatMulTypes)
}
