package nn

import (
	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// GraphAttention is graph attention: each node weighs its neighbours by
//
//	softmax_j(LeakyReLU(dst·x[i] + src·x[j]))
//
// and adds them up. Heads lie side by side in the columns of x and of the result, each with a dst and a src
// of its own. Veličković and others, "Graph attention networks", 2018. As in their program, but not in their
// text, training drops some of the summed features besides weights.
type GraphAttention[T dtype.Float] struct {
	Dst, Src *Param[T] // a row of the columns of x

	heads      []head[T]
	drop       Dropout[T] // of what is added up
	x, out, dx layout.Matrix[T]
}

// leak is the slope of LeakyReLU below 0 in the paper.
const leak = .2

// NewGraphAttention returns the layer for a graph, whose structure counts, and so many heads of a width. Weights, and
// numbers that are added up, are dropped with probability drop.
func NewGraphAttention[T dtype.Float](name string, graph sparse.Matrix[T], heads, width int, drop float64) *GraphAttention[T] {
	a := &GraphAttention[T]{
		Dst: NewParam[T](name+".dst", 1, heads*width, width, 1), Src: NewParam[T](name+".src", 1, heads*width, width, 1),
		heads: make([]head[T], heads), drop: Dropout[T]{P: drop},
	}
	// Heads share the structure, and where its values go in the transpose.
	edges := NewEdges(graph)
	for h := range a.heads {
		own := *edges
		a.heads[h] = head[T]{edges: &own, width: width, drop: drop}
	}
	return a
}

// Forward implements [Layer].
func (a *GraphAttention[T]) Forward(p *Pass, x layout.Matrix[T]) layout.Matrix[T] {
	a.x = x
	values, out := a.drop.Forward(p, x), sized(&a.out, x.Rows, x.Cols)
	for h := range a.heads {
		at := a.heads[h].columns(h)
		a.heads[h].forward(p, at(out), at(x), at(values), at(a.Dst.Value), at(a.Src.Value))
	}
	return out
}

// Backward implements [Layer].
func (a *GraphAttention[T]) Backward(dout layout.Matrix[T]) layout.Matrix[T] {
	// x is added up and has the weights computed of it: its gradient is the sum of both.
	dx := sized(&a.dx, dout.Rows, dout.Cols)
	values := a.x
	if a.drop.dropped {
		values = a.drop.out
	}
	for h := range a.heads {
		at := a.heads[h].columns(h)
		a.heads[h].values(at(dx), at(values), at(dout))
	}
	a.drop.back(dx, dx)
	for h := range a.heads {
		at := a.heads[h].columns(h)
		a.heads[h].scores(at(dx), at(a.Dst.Grad), at(a.Src.Grad), at(a.x), at(a.Dst.Value), at(a.Src.Value))
	}
	return dx
}

// Params implements [Layer].
func (a *GraphAttention[T]) Params() []*Param[T] { return []*Param[T]{a.Dst, a.Src} }

// A head is one head of a layer of attention. Slices have a number for each edge.
type head[T dtype.Float] struct {
	edges *Edges[T] // their values are weights, of which some are dropped
	width int
	drop  float64

	left, right   layout.Matrix[T] // nodes x 2, [dst·x 1] and [1 src·x]: a score is a product of their rows
	dleft, dright layout.Matrix[T]
	raw, leaky    []T // scores before and after LeakyReLU
	weights       []T
	mask          rand.Stream // of weights
	dropped       bool
	dweight       []T
}

// columns returns what takes the columns of head n out of a matrix.
func (h *head[T]) columns(n int) func(m layout.Matrix[T]) layout.Matrix[T] {
	return func(m layout.Matrix[T]) layout.Matrix[T] { return m.Slice(0, m.Rows, n*h.width, (n+1)*h.width) }
}

// forward sets out to the weighted sums of values, weights being of x.
func (h *head[T]) forward(p *Pass, out, x, values, dst, src layout.Matrix[T]) {
	n := h.edges.To.NNZ()
	left, right := sized(&h.left, x.Rows, 2), sized(&h.right, x.Rows, 2)
	for i := range x.Rows {
		left.Data[2*i+1], right.Data[2*i] = 1, 1
	}
	cpu.MatMul(column(left, 0), x, dst.T())
	cpu.MatMul(column(right, 1), x, src.T())
	raw, leaky := resize(&h.raw, n), resize(&h.leaky, n)
	cpu.SDDMMInto(cpu.SDDMMOptions{Pattern: true}, raw, h.edges.To, left, right)
	for k, s := range raw {
		leaky[k] = act.LeakyReLU(s, leak)
	}
	weights := resize(&h.weights, n)
	cpu.EdgeSoftmax(cpu.Options{}, weights, with(h.edges.To, h.edges.to, leaky))
	kept := weights
	if h.dropped = p.Train && h.drop > 0; h.dropped {
		h.mask = p.stream()
		kept = leaky // which is read no more
		cpu.Dropout(cpu.Options{}, kept, weights, h.mask, h.drop)
	}
	h.edges.Set(kept)
	cpu.SpMM(out, h.edges.To, values)
}

// values computes the gradients of the values and of the weights.
func (h *head[T]) values(dvalues, values, dout layout.Matrix[T]) {
	h.edges.UpdateTranspose()
	cpu.SpMM(dvalues, h.edges.Back, dout)
	dweight := resize(&h.dweight, len(h.raw))
	cpu.SDDMMInto(cpu.SDDMMOptions{Pattern: true}, dweight, h.edges.To, dout, values)
	if h.dropped {
		cpu.Dropout(cpu.Options{}, dweight, dweight, h.mask, h.drop)
	}
}

// scores adds to dx what comes through the scores, and sets the gradients of dst and src.
func (h *head[T]) scores(dx, ddst, dsrc, x, dst, src layout.Matrix[T]) {
	d := h.dweight
	cpu.EdgeSoftmaxBack(cpu.Options{}, d, h.edges.To, h.weights, d)
	for k, s := range h.raw {
		d[k] = LeakyReLUGrad(s, leak, d[k])
	}
	// The gradients of a sampled product are products of its own gradient, as a sparse matrix. It takes the
	// place of the weights, which the next forward sets again.
	h.edges.Set(d)
	h.edges.UpdateTranspose()
	dleft, dright := sized(&h.dleft, x.Rows, 2), sized(&h.dright, x.Rows, 2)
	cpu.SpMM(dleft, h.edges.To, h.right)
	cpu.SpMM(dright, h.edges.Back, h.left)
	for _, side := range []struct{ d, grad, value layout.Matrix[T] }{{column(dleft, 0), ddst, dst}, {column(dright, 1), dsrc, src}} {
		cpu.MatMul(side.grad, side.d.T(), x)
		cpu.MatMulOpt(cpu.Options{Scaling: cpu.Scale(1, 1)}, dx, side.d, side.value)
	}
}

// column returns column j of m, as a matrix.
func column[T dtype.Float](m layout.Matrix[T], j int) layout.Matrix[T] {
	return m.Slice(0, m.Rows, j, j+1)
}
