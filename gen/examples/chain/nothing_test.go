package chain

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run/equation"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/verify/check"
)

// TestNothing: what has nothing to do takes no time, however many rows there are, with products of whatever width.
func TestNothing(t *testing.T) {
	for _, m := range check.Huge {
		for i := range 4 {
			n0, n1 := 3*(i&1), 3*(i>>1)
			f := check.Hostile[float32]
			d := check.Hostile[float64]
			out, x, wide := f(m, 0), f(m, n0), d(m, n0)
			for name, call := range map[string]func(){
				"Attention":   func() { Attention(out, x, f(n1, n0), f(n1, 0), 1) },
				"Gated":       func() { Gated(out, x, f(n0, n1), f(n0, n1), f(n1, 0)) },
				"LayerDouble": func() { LayerDouble(d(m, 0), wide, d(n0, n1), make([]float64, n1), d(n1, 0)) },
				"MLP": func() {
					MLP(out, x, make([]float32, n0), make([]float32, n0), 1, f(n0, n1), make([]float32, n1), f(n1, 0))
				},
				"Normed": func() { Normed(out, f(m, 0), x, f(n0, 0), nil, nil, 1, f(0, 0)) },
				"Added":  func() { Added(out, x, layout.Matrix[float32]{Rows: n0}) },
				"LayerDoubleBack": func() {
					LayerDoubleBack(d(m, n0), make([]float64, n1), wide, d(n0, n1), make([]float64, n1), d(n1, 0), d(m, 0))
				},
				"Digest": func() {
					Digest(out, nil, nil, new(float32), nil, x, f(n0, 0), 1, 1, equation.Stream{})
				},
			} {
				check.AtOnce(t, fmt.Sprintf("%s of %d rows by %d by %d", name, m, n0, n1), call)
			}
		}
	}
	check.Nothing(t, Added, Attention, BiasedGELU, Digest, Gated, LayerBF16, LayerDouble, LayerDoubleBack, MLP, Normed, Quantised, Types)
}
