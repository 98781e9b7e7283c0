package local

import (
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Copy copies x to out, which is as large.
func Copy[T dtype.Float](out, x layout.Matrix[T]) {
	if x.Cols == 0 {
		return
	}
	for i := range x.Rows {
		if x.ColStride == 1 && out.ColStride == 1 {
			copy(out.Data[i*out.RowStride:][:x.Cols], x.Data[i*x.RowStride:][:x.Cols])
			continue
		}
		for j := range x.Cols {
			out.Data[i*out.RowStride+j*out.ColStride] = x.Data[i*x.RowStride+j*x.ColStride]
		}
	}
}

// Add adds x to out, which is as large.
func Add[T dtype.Float](out, x layout.Matrix[T]) {
	if x.Cols == 0 {
		return
	}
	for i := range out.Rows {
		if out.ColStride == 1 && x.ColStride == 1 {
			into, row := out.Data[i*out.RowStride:][:out.Cols], x.Data[i*x.RowStride:][:x.Cols]
			for j, v := range row {
				into[j] += v
			}
			continue
		}
		for j := range out.Cols {
			out.Data[i*out.RowStride+j*out.ColStride] += x.Data[i*x.RowStride+j*x.ColStride]
		}
	}
}
