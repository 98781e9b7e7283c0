package nn

import (
	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// SAGEPool is own + max_j(ReLU(others[j] + bias)) * weights, the greatest of each column over a node's
// neighbours. x is [own others]. This is the pooling of Hamilton, Ying and Leskovec. A node without
// neighbours has own only.
type SAGEPool[T dtype.Float] struct {
	Edges *Edges[T]

	act     *BiasActivation[T]
	weights *Linear[T]
	own     int // columns

	others, heard, most, dothers layout.Matrix[T] // heard has a row for each edge
	arg                          []int32          // the rows of others that most comes from
	offsets                      []int
	out, dx                      layout.Matrix[T]
}

// NewSAGEPool returns the layer whose others are of a width, and own and results of another.
func NewSAGEPool[T dtype.Float](name string, edges *Edges[T], width, own int) *SAGEPool[T] {
	return &SAGEPool[T]{
		Edges: edges, act: NewBiasActivation(name+".bias", width, ReLU[T]()),
		weights: NewLinear[T](name+".weights", width, own), own: own,
	}
}

// Forward implements [Layer].
func (l *SAGEPool[T]) Forward(p *Pass, x layout.Matrix[T]) layout.Matrix[T] {
	starts, from := l.Edges.to.pointers, l.Edges.to.indices
	rows, width := l.Edges.To.Rows(), x.Cols-l.own
	others := sized(&l.others, x.Rows, width)
	copyRows(others, x.Slice(0, x.Rows, l.own, x.Cols))
	others = l.act.Forward(p, others)

	heard, offsets := sized(&l.heard, len(from), width), resize(&l.offsets, rows+1)
	for k, j := range from {
		copy(heard.Data[k*width:(k+1)*width], others.Data[int(j)*width:])
	}
	for i, start := range starts {
		offsets[i] = int(start)
	}
	most, arg := sized(&l.most, rows, width), resize(&l.arg, rows*width)
	cpu.SegmentMax(cpu.Options{}, most, arg, offsets, heard)
	for k, edge := range arg {
		if edge < 0 {
			most.Data[k] = 0 // of nobody
		} else {
			arg[k] = from[edge]
		}
	}
	said := l.weights.Forward(p, most)
	out := sized(&l.out, rows, l.own)
	for i := range rows {
		for c, v := range said.Data[i*l.own : (i+1)*l.own] {
			out.Data[i*l.own+c] = x.Data[i*x.RowStride+c] + v
		}
	}
	return out
}

// Backward implements [Layer].
func (l *SAGEPool[T]) Backward(dout layout.Matrix[T]) layout.Matrix[T] {
	width, dmost := l.others.Cols, l.weights.Backward(dout)
	dothers := sized(&l.dothers, l.others.Rows, width)
	cpu.SegmentMaxBack(cpu.Options{}, dothers, l.arg, dmost)
	dx := sized(&l.dx, l.others.Rows, l.own+width)
	copyRowsPadded(dx.Slice(0, dx.Rows, 0, l.own), dout)
	copyRows(dx.Slice(0, dx.Rows, l.own, dx.Cols), l.act.Backward(dothers))
	return dx
}

// Params implements [Layer].
func (l *SAGEPool[T]) Params() []*Param[T] { return append(l.act.Params(), l.weights.Params()...) }
