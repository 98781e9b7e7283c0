package nn

import (
	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Aggregate is a * x: each node adds up its neighbours, times the values of the edges.
type Aggregate[T dtype.Float] struct {
	noParams[T]
	Edges *Edges[T]

	out, dx layout.Matrix[T]
}

// Forward implements [Layer].
func (g *Aggregate[T]) Forward(_ *Pass, x layout.Matrix[T]) layout.Matrix[T] {
	out := sized(&g.out, g.Edges.To.Rows(), x.Cols)
	cpu.SpMM(out, g.Edges.To, x)
	return out
}

// Backward implements [Layer].
func (g *Aggregate[T]) Backward(dout layout.Matrix[T]) layout.Matrix[T] {
	dx := sized(&g.dx, g.Edges.Back.Rows(), dout.Cols)
	cpu.SpMM(dx, g.Edges.Back, dout)
	return dx
}

// SAGEMean is own + a * others, where x is [own others], each of half its columns. One transform computes
// what a node and what its neighbours contribute. The nodes of the result are the first of x.
type SAGEMean[T dtype.Float] struct {
	noParams[T]
	Edges *Edges[T]

	out, dx layout.Matrix[T]
}

// Forward implements [Layer].
func (j *SAGEMean[T]) Forward(_ *Pass, x layout.Matrix[T]) layout.Matrix[T] {
	half := x.Cols / 2
	out := sized(&j.out, j.Edges.To.Rows(), half)
	copyRows(out, x.Slice(0, out.Rows, 0, half))
	cpu.SpMMOpt(cpu.Options{Scaling: cpu.Scale(1, 1)}, out, j.Edges.To, x.Slice(0, x.Rows, half, x.Cols))
	return out
}

// Backward implements [Layer].
func (j *SAGEMean[T]) Backward(dout layout.Matrix[T]) layout.Matrix[T] {
	half := dout.Cols
	dx := sized(&j.dx, j.Edges.To.Cols(), 2*half)
	copyRowsPadded(dx.Slice(0, dx.Rows, 0, half), dout)
	cpu.SpMM(dx.Slice(0, dx.Rows, half, 2*half), j.Edges.Back, dout)
	return dx
}

// copyRows copies the elements of a matrix, whose rows are contiguous, into another.
func copyRows[T dtype.Float](to, from layout.Matrix[T]) {
	for i := range to.Rows {
		copy(to.Data[i*to.RowStride:][:to.Cols], from.Data[i*from.RowStride:][:to.Cols])
	}
}

// copyRowsPadded is copyRows into the first rows; the others become zero.
func copyRowsPadded[T dtype.Float](to, from layout.Matrix[T]) {
	copyRows(to.Slice(0, from.Rows, 0, to.Cols), from)
	for i := from.Rows; i < to.Rows; i++ {
		clear(to.Data[i*to.RowStride:][:to.Cols])
	}
}
