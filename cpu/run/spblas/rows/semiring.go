package rows

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// semiringOf is what f gives. For sums of products, which have no f, it is one without
// functions.
func semiringOf[T dtype.Float](f func() semiring.Semiring[T]) (g semiring.Semiring[T]) {
	if f != nil {
		g = f()
	}
	return g
}

// semiringRows are the row kernels of a semiring, or of sums of products if it has no
// functions, in plain Go.
func semiringRows[T dtype.Float](g semiring.Semiring[T], pattern bool) kernel.Table[kernel.Func[kernel.SparseArgs]] {
	full := func(args *kernel.SparseArgs) { call.RowsOver(args, call.PortableLanes, &g, pattern) }
	tail := func(args *kernel.SparseArgs) { call.RowsOver(args, int(args.N), &g, pattern) }
	return kernel.Table[kernel.Func[kernel.SparseArgs]]{ISA: run.Portable, MR: 1, NV: 1, VL: call.PortableLanes, Entries: []kernel.Entry[kernel.Func[kernel.SparseArgs]]{
		{Form: kernel.Panel, F: full}, {Form: kernel.Tail, F: tail}, {Form: kernel.Fetch, F: full}, {Form: kernel.FetchTail, F: tail},
	}}
}
