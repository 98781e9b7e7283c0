package cpu

import (
	"github.com/tilesmith/tilesmith/cpu/kern/attnf"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/graph"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// AttentionOptions change how one call of [GraphAttention] runs; see
// [graph.AttentionOptions].
type AttentionOptions = graph.AttentionOptions

// GraphAttention computes, for each row i of s,
//
//	out[i] = sum over entries (i, j) of softmax_j(Scale * q[i]·k[j]) * v[j]
//
// in one pass: [SDDMM], a softmax over each row's entries and [SpMM], without their
// intermediate results. s is m x n, q is m x f, k is n x f, v is n x h and out is
// m x h, with any strides. Only the structure of s counts, unless Bias adds its values
// to the scores. For several heads, call it on parts of the columns. See
// [graph.Attention.Attend] for rows without entries, NaNs and panics.
func GraphAttention[T dtype.Float](opt AttentionOptions, out layout.Matrix[T], s sparse.Matrix[T], q, k, v layout.Matrix[T]) {
	switch out := any(out).(type) {
	case layout.Matrix[float32]:
		attnf.SetF32.Attend(opt, out, any(s).(sparse.Matrix[float32]),
			any(q).(layout.Matrix[float32]), any(k).(layout.Matrix[float32]), any(v).(layout.Matrix[float32]))
	case layout.Matrix[float64]:
		attnf.SetF64.Attend(opt, out, any(s).(sparse.Matrix[float64]),
			any(q).(layout.Matrix[float64]), any(k).(layout.Matrix[float64]), any(v).(layout.Matrix[float64]))
	}
}
