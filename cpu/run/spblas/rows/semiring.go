package rows

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// operator is the arithmetic of s: that of its Semiring, or the ordinary one.
func (s *SpMM[T]) operator() call.Operator[T] {
	o := call.Operator[T]{Pattern: s.Pattern}
	if s.Semiring != nil {
		g := s.Semiring()
		o.Zero, o.Plus, o.Times = g.Zero, g.Plus, g.Times
	}
	return o
}

// rowsOver are the row kernels of an operator in plain Go.
func rowsOver[T dtype.Float](op call.Operator[T]) *kernel.Table[kernel.Func[kernel.SparseArgs]] {
	full := func(args *kernel.SparseArgs) { call.RowsOver(args, call.PortableLanes, &op) }
	tail := func(args *kernel.SparseArgs) { call.RowsOver(args, int(args.N), &op) }
	return &kernel.Table[kernel.Func[kernel.SparseArgs]]{ISA: run.Portable, MR: 1, NV: 1, VL: call.PortableLanes, Entries: []kernel.Entry[kernel.Func[kernel.SparseArgs]]{
		{Form: kernel.Panel, F: full}, {Form: kernel.Tail, F: tail}, {Form: kernel.Fetch, F: full}, {Form: kernel.FetchTail, F: tail},
	}}
}
