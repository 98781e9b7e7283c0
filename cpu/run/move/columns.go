package move

import (
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// GatherColumns sets column j of out to column cols[j] of x. out is m x len(cols) and x is
// m x n, each with any strides. It panics as [Gather] does.
func GatherColumns[T dtype.Any](out, x layout.Matrix[T], cols []int32) {
	checkNumbers("move.GatherColumns", &out, &x, byColumn, len(cols), out.Cols, "out")
	byColumn.inside("move.GatherColumns", cols, x.Cols, "x")
	if len(cols) == 0 {
		return
	}
	for i := range out.Rows {
		to, from := out.Data[i*out.RowStride:], x.Data[i*x.RowStride:]
		if out.ColStride == 1 && x.ColStride == 1 {
			to, from = to[:len(cols)], from[:x.Cols]
			for j, c := range cols {
				to[j] = from[c]
			}
			continue
		}
		for j, c := range cols {
			to[j*out.ColStride] = from[int(c)*x.ColStride]
		}
	}
}

// ScatterColumns sets column cols[j] of out to column j of x and leaves other columns alone; of
// equal numbers the last counts. out is m x n and x is m x len(cols). It panics as [Gather] does.
func ScatterColumns[T dtype.Any](out, x layout.Matrix[T], cols []int32) {
	checkNumbers("move.ScatterColumns", &out, &x, byColumn, len(cols), x.Cols, "x")
	byColumn.inside("move.ScatterColumns", cols, out.Cols, "out")
	if len(cols) == 0 {
		return
	}
	for i := range out.Rows {
		to, from := out.Data[i*out.RowStride:], x.Data[i*x.RowStride:]
		if out.ColStride == 1 && x.ColStride == 1 {
			to, from = to[:out.Cols], from[:len(cols)]
			for j, c := range cols {
				to[c] = from[j]
			}
			continue
		}
		for j, c := range cols {
			to[int(c)*out.ColStride] = from[j*x.ColStride]
		}
	}
}
