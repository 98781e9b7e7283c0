package move

import (
	"math/bits"

	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Expand sets the elements of out whose bits are set in mask to values, row by row, and the others to 0. So
// you can store only the nonzeros of a matrix. Element (i, j) has bit j%8 of byte (i, j/8), as in masks of
// package gemm/tpp. out is m x n and mask m x (n+7)/8, each with any strides. Bits beyond the last column
// do not count.
//
// It panics with a [layout.ShapeError], before it writes an element, if shapes do not agree or there are
// not as many values as bits. It also panics if two elements of out share a place, or out shares memory
// with mask or values.
func Expand[T dtype.Any](out layout.Matrix[T], mask layout.Matrix[uint8], values []T) {
	const name = "move.Expand"
	check.Call(name).Error(out.CheckOut("out"))
	set := countBits(name, "out", out.Rows, out.Cols, mask)
	packed := layout.RowMajor(values, 1, len(values))
	switch {
	case set != len(values):
		check.Call(name).Refuse("mask has %d bits and there are %d values; want as many", set, len(values))
	case mem.Overlaps(out, mask):
		check.Call(name).Refuse("out shares memory with mask; copy mask first")
	case mem.Overlaps(out, packed):
		check.Call(name).Refuse("out shares memory with values; copy values first")
	}
	if out.Cols == 0 { // of which there may be any number of rows
		return
	}
	at := 0
	for i := range out.Rows {
		for j := 0; j < out.Cols; j += 8 {
			n := min(8, out.Cols-j)
			b := mask.Data[i*mask.RowStride+j/8*mask.ColStride] & (1<<n - 1)
			to := out.Data[i*out.RowStride+j*out.ColStride:]
			if n == 8 && out.ColStride == 1 {
				to := (*[8]T)(to)
				for *to = [8]T{}; b != 0; b &= b - 1 {
					to[bits.TrailingZeros8(b)&7] = values[at]
					at++
				}
				continue
			}
			var zero T
			for k := range n {
				to[k*out.ColStride] = zero
			}
			for ; b != 0; b &= b - 1 {
				to[bits.TrailingZeros8(b)*out.ColStride] = values[at]
				at++
			}
		}
	}
}

// Compress sets values to the elements of x whose bits are set in mask, row by row. It is the inverse of
// [Expand], on its conditions with x for out, which it only reads.
func Compress[T dtype.Any](values []T, x layout.Matrix[T], mask layout.Matrix[uint8]) {
	const name = "move.Compress"
	check.Call(name).Error(x.Check("x"))
	set := countBits(name, "x", x.Rows, x.Cols, mask)
	packed := layout.RowMajor(values, 1, len(values))
	switch {
	case set != len(values):
		check.Call(name).Refuse("mask has %d bits and there are %d values; want as many", set, len(values))
	case mem.Overlaps(packed, mask):
		check.Call(name).Refuse("values share memory with mask; copy mask first")
	case mem.Overlaps(packed, x):
		check.Call(name).Refuse("values share memory with x; copy x first")
	}
	if x.Cols == 0 || len(values) == 0 { // of which there may be any number of rows
		return
	}
	at := 0
	for i := range x.Rows {
		for j := 0; j < x.Cols; j += 8 {
			from := x.Data[i*x.RowStride+j*x.ColStride:]
			for b := mask.Data[i*mask.RowStride+j/8*mask.ColStride] & (1<<min(8, x.Cols-j) - 1); b != 0; b &= b - 1 {
				values[at] = from[bits.TrailingZeros8(b)*x.ColStride]
				at++
			}
		}
	}
}

// countBits counts the bits of elements in mask, which is for an m x n matrix.
func countBits(name, what string, m, n int, mask layout.Matrix[uint8]) (set int) {
	check.Call(name).Error(mask.Check("mask"))
	bytes := n / 8
	if n%8 > 0 {
		bytes++
	}
	if mask.Rows != m || mask.Cols != bytes {
		check.Call(name).Refuse("mask is %d x %d and %s %d x %d; want rows of %d bytes, one for eight columns", mask.Rows, mask.Cols, what, m, n, bytes)
	}
	if n == 0 {
		return 0
	}
	for i := range m {
		for j := 0; j < n; j += 8 {
			set += bits.OnesCount8(mask.Data[i*mask.RowStride+j/8*mask.ColStride] & (1<<min(8, n-j) - 1))
		}
	}
	return set
}
