package nn

import (
	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// SparseLinear is the transform of a network's sparse features: features * weights, of which a pass of training
// drops some entries first. It is the first layer and takes no x.
type SparseLinear[T dtype.Float] struct {
	Weights *Param[T]

	features *Edges[T]
	all      []T // the values of features, none dropped
	left     []T
	drop     float64
	out      layout.Matrix[T]
}

// NewSparseLinear returns the layer of so many results for each node, of features that are dropped with probability drop.
func NewSparseLinear[T dtype.Float](name string, features sparse.Matrix[T], width int, drop float64) *SparseLinear[T] {
	w := &SparseLinear[T]{Weights: NewParam[T](name, features.Cols(), width, features.Cols(), width), drop: drop}
	edges := NewEdges(features)
	w.take(edges, edges.values)
	return w
}

// take makes the layer one of other rows, whose values are all if none is dropped.
func (w *SparseLinear[T]) take(features *Edges[T], all []T) {
	w.features, w.all = features, all
}

// Forward implements [Layer].
func (w *SparseLinear[T]) Forward(p *Pass, _ layout.Matrix[T]) layout.Matrix[T] {
	values := w.all
	if p.Train && w.drop > 0 {
		values = resize(&w.left, len(w.all))
		cpu.Dropout(cpu.Options{}, values, w.all, p.stream(), w.drop)
	}
	w.features.Set(values)
	out := sized(&w.out, w.features.To.Rows(), w.Weights.Value.Cols)
	cpu.SpMM(out, w.features.To, w.Weights.Value)
	return out
}

// Backward implements [Layer]. It returns no gradient by x.
func (w *SparseLinear[T]) Backward(dout layout.Matrix[T]) layout.Matrix[T] {
	w.features.UpdateTranspose()
	cpu.SpMM(w.Weights.Grad, w.features.Back, dout)
	return layout.Matrix[T]{}
}

// Params implements [Layer].
func (w *SparseLinear[T]) Params() []*Param[T] { return []*Param[T]{w.Weights} }
