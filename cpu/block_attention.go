package cpu

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/kern/softmaxf"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/attention"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/mask"
)

// BlockAttentionOptions change how one call of [BlockAttention] runs; see
// [attention.Options].
type BlockAttentionOptions = attention.Options

// Heads is how many heads of attention one call does; see [attention.Heads].
type Heads = attention.Heads

// BlockAttention computes, for each head and each row i,
//
//	out[i] = sum over the columns j that mask has in row i of softmax_j(Scale * q[i]·k[j]) * v[j]
//
// for masks of blocks, such as [mask.Band], and causal ones. This is scaled dot-product
// attention that skips missing blocks, and never has all scores in memory. With a mask of
// m x n, q is m x f, k is n x f, v is n x h and out is m x h, with any strides. Heads says
// where the matrices of other heads are. See [attention.Set.Attend] for rows that
// see nothing, NaNs and panics, and [GraphAttention] for masks without blocks.
func BlockAttention[T dtype.Float](opt BlockAttentionOptions, out layout.Matrix[T], mask mask.Mask, q, k, v layout.Matrix[T]) {
	if unsafe.Sizeof(*new(T)) == 4 {
		m := as[float32]
		softmaxf.SetF32.Attend(opt, *m(unsafe.Pointer(&out)), mask, *m(unsafe.Pointer(&q)), *m(unsafe.Pointer(&k)), *m(unsafe.Pointer(&v)))
	} else {
		m := as[float64]
		softmaxf.SetF64.Attend(opt, *m(unsafe.Pointer(&out)), mask, *m(unsafe.Pointer(&q)), *m(unsafe.Pointer(&k)), *m(unsafe.Pointer(&v)))
	}
}

// BlockAttentionBack computes the gradients dq, dk and dv of [BlockAttention]. It takes
// the gradient dout of the result, the result out, the LogSums that the call left, and the
// call's operands. See [attention.Set.Back].
func BlockAttentionBack[T dtype.Float](opt BlockAttentionOptions, dq, dk, dv layout.Matrix[T], mask mask.Mask, q, k, v, out, dout layout.Matrix[T]) {
	if unsafe.Sizeof(*new(T)) == 4 {
		m := as[float32]
		softmaxf.SetF32.Back(opt, *m(unsafe.Pointer(&dq)), *m(unsafe.Pointer(&dk)), *m(unsafe.Pointer(&dv)), mask, *m(unsafe.Pointer(&q)), *m(unsafe.Pointer(&k)), *m(unsafe.Pointer(&v)), *m(unsafe.Pointer(&out)), *m(unsafe.Pointer(&dout)))
	} else {
		m := as[float64]
		softmaxf.SetF64.Back(opt, *m(unsafe.Pointer(&dq)), *m(unsafe.Pointer(&dk)), *m(unsafe.Pointer(&dv)), mask, *m(unsafe.Pointer(&q)), *m(unsafe.Pointer(&k)), *m(unsafe.Pointer(&v)), *m(unsafe.Pointer(&out)), *m(unsafe.Pointer(&dout)))
	}
}
