package graph

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// attentionPortable is one call without assembly.
type attentionPortable[T dtype.Float] struct {
	raw          sparse.Raw
	scale        T
	bias         bool
	out, q, k, v layout.Matrix[T]
	job          call.Job
}

const portableRows = 32 // taken at once

// Task does some rows.
func (a *attentionPortable[T]) Task(w *call.Scratch, t int) {
	pointers := call.RowPointers(a.raw)
	indices := unsafe.Slice((*int32)(a.raw.Indices), a.raw.NNZ)
	values := unsafe.Slice((*T)(a.raw.Values), a.raw.NNZ)
	w.Sums.Grow(a.v.Cols * call.SizeOf[T]())
	sums := call.SliceOf((*T)(w.Sums.P), a.v.Cols)
	var op call.Operator[T]
	i := t * portableRows
	for end := min(i+portableRows, a.raw.Rows); i < end; i++ {
		columns := indices[pointers[i]:pointers[i+1]]
		w.Scores.Grow(len(columns) * call.SizeOf[T]())
		scores := call.SliceOf((*T)(w.Scores.P), len(columns))
		for n, j := range columns {
			var x T
			if a.q.Cols > 0 {
				x = call.DotRows(a.q.Data[i*a.q.RowStride:], a.q.ColStride, a.k.Data[int(j)*a.k.RowStride:], a.k.ColStride, a.q.Cols)
			}
			x *= a.scale
			if a.bias {
				x += values[int(pointers[i])+n]
			}
			scores[n] = x
		}
		clear(sums)
		var total T
		if len(scores) > 0 {
			_, total = call.ExpRow(scores, scores)
			for n, j := range columns {
				op.AddRow(sums, 1, scores[n], a.v.Data[int(j)*a.v.RowStride:], a.v.ColStride, len(sums))
			}
		}
		for h, x := range sums {
			if len(scores) > 0 {
				x /= total
			}
			a.out.Data[i*a.out.RowStride+h*a.out.ColStride] = x
		}
	}
}
