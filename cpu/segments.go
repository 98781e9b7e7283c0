package cpu

import (
	"github.com/tilesmith/tilesmith/cpu/run/spblas/rows"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// SegmentMax sets row s of out to the maximum of rows offsets[s] to offsets[s+1]-1 of x, column by
// column. It sets arg to the rows of the maxima; see [rows.SegmentMax]. For sums and means of
// segments, multiply with the matrix that sparse.Segments returns.
func SegmentMax[T dtype.Float](opt Options, out layout.Matrix[T], arg []int32, offsets []int, x layout.Matrix[T]) {
	rows.SegmentMax(opt, out, arg, offsets, x)
}

// SegmentMaxBack sets dx to the gradient of [SegmentMax] from dout, that of its result, and
// what it left in arg.
func SegmentMaxBack[T dtype.Float](opt Options, dx layout.Matrix[T], arg []int32, dout layout.Matrix[T]) {
	rows.SegmentMaxBack(opt, dx, arg, dout)
}
