package mem

import (
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Scale computes out = beta*out without reading out if beta is 0: in whole rows, or
// columns, where those are contiguous.
func Scale[T dtype.AnySum](out layout.Matrix[T], beta T) {
	if beta == 1 || out.Rows == 0 || out.Cols == 0 {
		return
	}
	Normalize(&out)
	if out.ColStride != 1 && out.RowStride == 1 {
		out = out.T()
	}
	if out.ColStride == 1 && out.RowStride == out.Cols { // no gaps: all is one row
		out.Rows, out.Cols = 1, out.Rows*out.Cols
	}
	for i := range out.Rows {
		row := out.Data[i*out.RowStride:]
		if out.ColStride == 1 {
			scaleRow(row[:out.Cols], beta)
			continue
		}
		for j := range out.Cols {
			if p := &row[j*out.ColStride]; beta == 0 {
				*p = 0
			} else {
				*p = Times(beta, *p)
			}
		}
	}
}

// clearAtOnce is how many elements are cleared without a chance to be preempted, a
// few dozen microseconds.
const clearAtOnce = 1 << 18

func scaleRow[T dtype.AnySum](x []T, beta T) {
	if beta == 0 {
		for len(x) > clearAtOnce {
			clear(x[:clearAtOnce])
			x = x[clearAtOnce:]
		}
		clear(x)
		return
	}
	if dtype.Of[T]().Complex() {
		for j := range x {
			x[j] = Times(beta, x[j])
		}
		return
	}
	for len(x) >= 4 { // fewer branches than elements
		x[0] *= beta
		x[1] *= beta
		x[2] *= beta
		x[3] *= beta
		x = x[4:]
	}
	for j := range x {
		x[j] *= beta
	}
}
