package main

import (
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/gen/examples/gnn/data"
	"github.com/tilesmith/tilesmith/gen/examples/gnn/nn"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// little returns a made-up set of 40 nodes.
func little(t *testing.T) *data.Set {
	t.Helper()
	s, err := data.Planted(10, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range [][2]int{{6, 4}, {5, 6}} { // layers of which half the weights are gone
		p, err := sample.Pruned[float64](size[0], size[1], .5, 1)
		if err != nil {
			t.Fatal(err)
		}
		s.Patterns = append(s.Patterns, p)
	}
	return s
}

// slim is a model of few numbers.
func slim(m Model) Model {
	m.Hidden, m.Drop = 3, .4
	if m.Heads > 0 {
		m.Heads = 2
	}
	return m
}

// TestGradients: the gradients of all parameters are those of differences, in float64 and with the masks of one step.
// A difference of four values of the loss is exact to h^4, so what is left are its rounding and kinks: a number
// next to one of ReLU's would show as an error of 1e-3 and more.
func TestGradients(t *testing.T) {
	s := little(t)
	for _, m := range models {
		t.Run("model="+m.Name, func(t *testing.T) {
			net, err := network[float64](slim(m), s, 4)
			if err != nil {
				t.Fatal(err)
			}
			for n, p := range net.Params() { // biases too, away from zero
				for k := range p.Value.Data {
					p.Value.Data[k] += .1 * math.Sin(float64(17*n+5*k+1))
				}
			}
			dlogits := layout.New[float64](s.Graph.Rows(), s.Classes)
			loss := func() float64 {
				pass := nn.Pass{Train: true, Seed: 5, Step: 7}
				return nn.CrossEntropy(dlogits, net.Forward(&pass, layout.Matrix[float64]{}), s.Labels, s.Train).Loss
			}
			loss()
			net.Backward(dlogits)
			for _, p := range net.Params() {
				// Errors are relative to the largest number of the parameter's gradient.
				worst, largest := 0.0, 0.0
				for k, g := range p.Grad.Data {
					worst, largest = max(worst, math.Abs(g-slope(loss, &p.Value.Data[k]))), max(largest, math.Abs(g))
				}
				if !(worst <= 1e-6*largest) {
					t.Errorf("%s: a gradient is %.3g off, of %.3g at most", p.Name, worst, largest)
				}
				t.Logf("%s: relative error %.1e", p.Name, worst/largest)
			}
		})
	}
}

// slope returns the derivative of f in v, by central differences of order 4.
func slope(f func() float64, v *float64) float64 {
	const h = 1e-4
	was := *v
	at := func(d float64) float64 {
		*v = was + d
		return f()
	}
	s := (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
	*v = was
	return s
}
