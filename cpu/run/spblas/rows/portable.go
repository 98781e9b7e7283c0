package rows

import (
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// rowsInPlace is a sum of products in compressed rows with a b of any strides in place.
// It is for a b that repeats its elements so often that a copy would be far larger, and
// would take longer than the product.
func rowsInPlace[T dtype.Float](alpha, beta T, out layout.Matrix[T], a sparse.Raw, b layout.Matrix[T]) {
	pointers, sums := call.RowPointers(a), make([]T, out.Cols)
	var op call.Operator[T]
	for i := range out.Rows {
		clear(sums)
		for k := int(pointers[i]); k < int(pointers[i+1]); k++ {
			row := int(*call.Element[int32](a.Indices, k))
			op.AddRow(sums, 1, *call.Element[T](a.Values, k), b.Data[row*b.RowStride:], b.ColStride, len(sums))
		}
		for j, s := range sums {
			mem.Store(alpha, s, beta, &out.Data[i*out.RowStride+j*out.ColStride])
		}
	}
}
