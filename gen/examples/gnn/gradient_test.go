package main

import (
	"fmt"
	"math"
	"slices"
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
	if m.samples() {
		m.Batch, m.Fanout = 7, [2]int{2, 3} // nodes have more neighbours
	}
	return m
}

// TestGradients: the gradients of all parameters are those of differences, in float64 and with the masks and samples of one step.
func TestGradients(t *testing.T) {
	s := little(t)
	for _, m := range models {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("model=%s/seed=%d", m.Name, seed), func(t *testing.T) { gradients(t, slim(m), s, seed) })
		}
	}
}

func gradients(t *testing.T, m Model, s *data.Set, seed uint64) {
	net, sampler, err := network[float64](m, s, seed)
	if err != nil {
		t.Fatal(err)
	}
	for n, p := range net.Params() { // biases too, away from zero
		for k := range p.Value.Data {
			p.Value.Data[k] += .1 * math.Sin(float64(17*n+5*k+1))
		}
	}
	labels, rows := s.Labels, s.Train
	if sampler != nil {
		labels, rows = nil, nil
		for k, i := range s.Train[:m.Batch] {
			labels, rows = append(labels, s.Labels[i]), append(rows, k)
		}
	}
	var dlogits layout.Matrix[float64]
	loss := func() float64 {
		pass := nn.Pass{Train: true, Seed: 5, Step: 7}
		if sampler != nil {
			sampler.Batch(&pass, s.Train[:m.Batch])
		}
		logits := net.Forward(&pass, layout.Matrix[float64]{})
		dlogits = layout.New[float64](logits.Rows, logits.Cols)
		return nn.CrossEntropy(dlogits, logits, labels, rows).Loss
	}
	loss()
	net.Backward(dlogits)
	for _, p := range net.Params() {
		// Errors are relative to the largest number of the parameter's gradient.
		largest, worst := 0.0, 0.0
		for _, g := range p.Grad.Data {
			largest = max(largest, math.Abs(g))
		}
		grad := slices.Clone(p.Grad.Data)
		for k, g := range grad {
			worst = max(worst, off(loss, &p.Value.Data[k], g)/largest)
		}
		if !(worst <= 1e-6) {
			t.Errorf("%s: a gradient is %.3g of the largest off, which is %.3g", p.Name, worst, largest)
		}
		t.Logf("%s: relative error %.1e", p.Name, worst)
	}
}

// off returns how far g is from the derivative of f in v by central differences. Where f has a kink, of ReLU or of two
// maxima, a difference over it is off by 1e-3 and more, but only one that reaches it: the best of three widths counts. A
// gradient that is wrong agrees with none. Roundings of the least width are about 1e-9.
func off(f func() float64, v *float64, g float64) float64 {
	was, least := *v, math.Inf(1)
	at := func(d float64) float64 {
		*v = was + d
		return f()
	}
	for _, h := range []float64{1e-5, 1e-6, 1e-7} {
		least = min(least, math.Abs((at(h)-at(-h))/(2*h)-g))
		if least < 1e-10 {
			break
		}
	}
	*v = was
	return least
}
