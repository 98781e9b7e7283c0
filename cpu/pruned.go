package cpu

import (
	"github.com/tilesmith/tilesmith/cpu/kern/prunedf"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/rows"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Prune arranges a sparse matrix, such as the weights of a pruned layer, for many
// products by [MulPruned]. It pays for matrices of which a few per cent are entries,
// without structure; see [SpMM] for graphs and [SpMMBlocks] for blocks.
func Prune[T dtype.Float](w sparse.Matrix[T]) *rows.Pruned[T] { return rows.NewPruned(w) }

// MulPruned computes out = w*b for arranged weights. w is m x k, b is k x n and out is
// m x n. b and out have any strides. With Options.Scaling it is alpha*w*b + beta*out.
// See [rows.PrunedSet.Multiply] for the order of additions and for panics.
func MulPruned[T dtype.Float](opt Options, out layout.Matrix[T], w *rows.Pruned[T], b layout.Matrix[T]) {
	switch out := any(out).(type) {
	case layout.Matrix[float32]:
		prunedf.SetF32.Multiply(opt, out, any(w).(*rows.Pruned[float32]), any(b).(layout.Matrix[float32]))
	case layout.Matrix[float64]:
		prunedf.SetF64.Multiply(opt, out, any(w).(*rows.Pruned[float64]), any(b).(layout.Matrix[float64]))
	}
}
