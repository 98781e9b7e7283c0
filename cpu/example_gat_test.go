package cpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// transformer is a layer of graph attention with several heads: each asks with
// queries x*wq, looks only along the edges of the graph for keys x*wk, and takes the
// values x*wv of what it finds.
//
// Vaswani and others, "Attention is all you need", 2017; along the edges of a graph,
// Dwivedi and Bresson, "A generalization of transformer networks to graphs", 2021.
type transformer[T dtype.Float] struct {
	heads      int
	wq, wk, wv layout.Matrix[T] // features x features
}

// project returns queries, keys and values of x, the heads side by side.
func (t transformer[T]) project(x layout.Matrix[T]) (q, k, v layout.Matrix[T]) {
	q, k, v = layout.New[T](x.Rows, t.wq.Cols), layout.New[T](x.Rows, t.wk.Cols), layout.New[T](x.Rows, t.wv.Cols)
	cpu.MatMul(q, x, t.wq)
	cpu.MatMul(k, x, t.wk)
	cpu.MatMul(v, x, t.wv)
	return q, k, v
}

// head returns the columns of m that belong to a head. Nothing is copied.
func (t transformer[T]) head(m layout.Matrix[T], h int) layout.Matrix[T] {
	width := m.Cols / t.heads
	return m.Slice(0, m.Rows, h*width, (h+1)*width)
}

// forward returns the output of the layer for the graph s, one pass for each head.
func (t transformer[T]) forward(s sparse.Matrix[T], x layout.Matrix[T]) layout.Matrix[T] {
	q, k, v := t.project(x)
	out := layout.New[T](x.Rows, v.Cols)
	for h := range t.heads {
		cpu.GraphAttention(cpu.AttentionOptions{}, t.head(out, h), s, t.head(q, h), t.head(k, h), t.head(v, h))
	}
	return out
}

// inSteps is forward by way of the scores and the weights of all edges.
func (t transformer[T]) inSteps(s sparse.Matrix[T], x layout.Matrix[T]) (layout.Matrix[T], error) {
	q, k, v := t.project(x)
	out, weights := layout.New[T](x.Rows, v.Cols), make([]T, s.NNZ())
	for h := range t.heads {
		q, k := t.head(q, h), t.head(k, h)
		scale := 1 / math.Sqrt(float64(q.Cols))
		cpu.SDDMMInto(cpu.SDDMMOptions{Options: cpu.Options{Scaling: cpu.Scale(scale, 0)}, Pattern: true}, weights, s, q, k)
		for i, k := 0, 0; i < s.Rows(); i++ {
			softmax(weights[k : k+s.RowNNZ(i)])
			k += s.RowNNZ(i)
		}
		attention, err := s.WithValues(weights)
		if err != nil {
			return out, err
		}
		cpu.SpMM(t.head(out, h), attention, t.head(v, h))
	}
	return out, nil
}

// softmax replaces scores by weights that add up to 1.
func softmax[T dtype.Float](x []T) {
	top, sum := T(math.Inf(-1)), T(0)
	for _, v := range x {
		top = max(top, v)
	}
	for i, v := range x {
		x[i] = T(math.Exp(float64(v - top)))
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
}

// A layer of graph attention in one pass, against its three steps.
func Example_graphAttention() {
	graph, err := sample.RMAT[float64](300, 3000, .57, .19, .19, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	rng := rand.New(rand.NewPCG(1, 2))
	layer := transformer[float64]{4, normal[float64](rng, 32, 32), normal[float64](rng, 32, 32), normal[float64](rng, 32, 32)}
	x := normal[float64](rng, 300, 32)
	for i := range x.Data {
		x.Data[i] /= 8
	}

	out := layer.forward(graph, x)
	steps, err := layer.inSteps(graph, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	apart := 0.0
	for i := range out.Data {
		apart = max(apart, math.Abs(out.Data[i]-steps.Data[i]))
	}
	fmt.Printf("%d x %d, begins with %.3f\n", out.Rows, out.Cols, out.Data[:4])
	fmt.Println("one pass and three steps are less than 1e-12 apart:", apart < 1e-12)
	// Output:
	// 300 x 32, begins with [-0.008 -0.023 0.048 0.077]
	// one pass and three steps are less than 1e-12 apart: true
}
