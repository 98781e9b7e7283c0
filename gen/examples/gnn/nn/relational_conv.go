package nn

import (
	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// RelationalConv is the sum over relations r of a_r * x * w_r: Schlichtkrull and others, "Modeling relational data
// with graph convolutional networks", 2018.
type RelationalConv[T dtype.Float] struct {
	Weights *Param[T] // of each relation, one under another

	a, turned  sparse.Relations[T]
	x, out, dx layout.Matrix[T]
}

// NewRelationalConv returns the layer that makes rows of the first width into rows of the second.
func NewRelationalConv[T dtype.Float](name string, a sparse.Relations[T], from, to int) *RelationalConv[T] {
	return &RelationalConv[T]{Weights: NewParam[T](name, a.Count()*from, to, from, to), a: a, turned: a.Transpose()}
}

// Forward implements [Layer].
func (r *RelationalConv[T]) Forward(_ *Pass, x layout.Matrix[T]) layout.Matrix[T] {
	r.x = x
	out := sized(&r.out, x.Rows, r.Weights.Value.Cols)
	cpu.MulRelations(cpu.Options{}, out, r.a, x, r.Weights.Value)
	return out
}

// Backward implements [Layer].
func (r *RelationalConv[T]) Backward(dout layout.Matrix[T]) layout.Matrix[T] {
	dx := sized(&r.dx, r.x.Rows, r.x.Cols)
	cpu.MulRelationsBack(cpu.Options{}, dx, r.Weights.Grad, r.a, r.turned, r.x, r.Weights.Value, dout)
	return dx
}

// Params implements [Layer].
func (r *RelationalConv[T]) Params() []*Param[T] { return []*Param[T]{r.Weights} }
