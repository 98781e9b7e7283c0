package cpu

import (
	"github.com/tilesmith/tilesmith/cpu/run/spblas"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// SegmentMax sets row s of out to the greatest of rows offsets[s] to offsets[s+1]-1 of x, column by
// column, and arg to the rows that they come from; see [spblas.SegmentMax]. Sums and means
// of segments are products with what sparse.Segments makes.
func SegmentMax[T dtype.Float](opt Options, out layout.Matrix[T], arg []int32, offsets []int, x layout.Matrix[T]) {
	spblas.SegmentMax(opt, out, arg, offsets, x)
}

// SegmentMaxBack sets dx to the gradient of [SegmentMax] from dout, that of its result, and
// what it left in arg.
func SegmentMaxBack[T dtype.Float](opt Options, dx layout.Matrix[T], arg []int32, dout layout.Matrix[T]) {
	spblas.SegmentMaxBack(opt, dx, arg, dout)
}
