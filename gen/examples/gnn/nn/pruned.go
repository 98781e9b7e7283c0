package nn

import (
	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// PrunedLinear is the transform x * weightsᵀ of a layer whose weights are mostly pruned. The others are where
// a pattern has entries.
type PrunedLinear[T dtype.Float] struct {
	Weights *Param[T] // one for each entry, in the order of CSR

	edges      *Edges[T]
	x, out, dx layout.Matrix[T]
}

// NewPrunedLinear returns the layer of a pattern, which has a row for each result and a column for each number of a row of x.
func NewPrunedLinear[T dtype.Float](name string, pattern sparse.Matrix[T]) *PrunedLinear[T] {
	n := pattern.NNZ()
	return &PrunedLinear[T]{
		Weights: NewParam[T](name, 1, n, max(1, n/max(1, pattern.Rows())), n/max(1, pattern.Cols())),
		edges:   NewEdges(pattern),
	}
}

// Forward implements [Layer].
func (l *PrunedLinear[T]) Forward(_ *Pass, x layout.Matrix[T]) layout.Matrix[T] {
	l.x = x
	l.edges.Set(l.Weights.Value.Data)
	out := sized(&l.out, x.Rows, l.edges.To.Rows())
	cpu.SpMM(out.T(), l.edges.To, x.T())
	return out
}

// Backward implements [Layer].
func (l *PrunedLinear[T]) Backward(dout layout.Matrix[T]) layout.Matrix[T] {
	cpu.SDDMMInto(cpu.SDDMMOptions{Pattern: true}, l.Weights.Grad.Data, l.edges.To, dout.T(), l.x.T())
	l.edges.UpdateTranspose()
	dx := sized(&l.dx, l.x.Rows, l.x.Cols)
	cpu.SpMM(dx.T(), l.edges.Back, dout.T())
	return dx
}

// Params implements [Layer].
func (l *PrunedLinear[T]) Params() []*Param[T] { return []*Param[T]{l.Weights} }

// Input is the first layer of a network whose features are dense: it returns X.
type Input[T dtype.Float] struct {
	noParams[T]
	X layout.Matrix[T]
}

// Forward implements [Layer].
func (g *Input[T]) Forward(*Pass, layout.Matrix[T]) layout.Matrix[T] { return g.X }

// Backward implements [Layer]. It returns no gradient by x.
func (g *Input[T]) Backward(layout.Matrix[T]) layout.Matrix[T] { return layout.Matrix[T]{} }
