package rows

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// sparseInGo makes row kernels of rows, which does n columns.
func sparseInGo(rows func(args *run.SparseArgs, n int)) run.RowKernels {
	full := []run.SparseKernel{func(args *run.SparseArgs) { rows(args, call.PortableLanes) }}
	tail := []run.SparseKernel{func(args *run.SparseArgs) { rows(args, int(args.N)) }}
	return run.RowKernels{ISA: run.Portable, VL: call.PortableLanes, Full: full, Tail: tail, FullFetch: full, TailFetch: tail}
}

// rowsInPlace is a sum of products in compressed rows with a b of any strides in place.
// It is for a b that repeats its elements so often that a copy would be far larger, and
// would take longer than the product.
func rowsInPlace[T dtype.Float](alpha, beta T, out layout.Matrix[T], a sparse.Raw, b layout.Matrix[T]) {
	pointers, sums := call.RowPointers(a), make([]T, out.Cols)
	for i := range out.Rows {
		clear(sums)
		for k := int(pointers[i]); k < int(pointers[i+1]); k++ {
			v, row := *call.Element[T](a.Values, k), int(*call.Element[int32](a.Indices, k))*b.RowStride
			for j := range sums {
				sums[j] += T(v * b.Data[row+j*b.ColStride])
			}
		}
		for j, s := range sums {
			mem.Store(alpha, s, beta, &out.Data[i*out.RowStride+j*out.ColStride])
		}
	}
}
