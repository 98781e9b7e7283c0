package cpu

import (
	"github.com/tilesmith/tilesmith/cpu/kern/bsrf"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// SpMMBlocks computes out = a*b for an a in the format [format.BSR] or [format.DBSR],
// through the dense micro-kernel. a is m x k, b is k x n and out is m x n. b and out have any
// strides. A format of your own is taken if its axes are those and its block rows ascend, see
// [rows.Blocked]; SpMM takes any. With Options.Scaling it is alpha*a*b + beta*out. See
// [rows.BlockSet.Multiply] for the order of additions, holes in blocks, and panics.
func SpMMBlocks[T dtype.Float](opt Options, out layout.Matrix[T], a format.Packed[T], b layout.Matrix[T]) {
	opt.Caller = opt.Name("cpu.SpMMBlocks")
	switch out := any(out).(type) {
	case layout.Matrix[float32]:
		bsrf.SetF32.Multiply(opt, out, any(a).(format.Packed[float32]), any(b).(layout.Matrix[float32]))
	case layout.Matrix[float64]:
		bsrf.SetF64.Multiply(opt, out, any(a).(format.Packed[float64]), any(b).(layout.Matrix[float64]))
	}
}
