package nn

import (
	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Linear is x * weights.
type Linear[T dtype.Float] struct {
	Weights *Param[T]

	x, out, dx layout.Matrix[T]
}

// NewLinear returns the layer that makes rows of the first width into rows of the second.
func NewLinear[T dtype.Float](name string, from, to int) *Linear[T] {
	return &Linear[T]{Weights: NewParam[T](name, from, to, from, to)}
}

// Forward implements [Layer].
func (t *Linear[T]) Forward(_ *Pass, x layout.Matrix[T]) layout.Matrix[T] {
	t.x = x
	out := sized(&t.out, x.Rows, t.Weights.Value.Cols)
	cpu.MatMul(out, x, t.Weights.Value)
	return out
}

// Backward implements [Layer].
func (t *Linear[T]) Backward(dout layout.Matrix[T]) layout.Matrix[T] {
	cpu.MatMul(t.Weights.Grad, t.x.T(), dout)
	dx := sized(&t.dx, t.x.Rows, t.x.Cols)
	cpu.MatMul(dx, dout, t.Weights.Value.T())
	return dx
}

// Params implements [Layer].
func (t *Linear[T]) Params() []*Param[T] { return []*Param[T]{t.Weights} }
