package call

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// The row kernels in plain Go: one "vector" of PortableLanes, whose sums stay in L1.
// They are values that the linker lays out, and drops where no call needs them.
var (
	goRows32 = run.RowKernels{ISA: run.Portable, VL: PortableLanes, Full: full32, Tail: tail32, FullFetch: full32, TailFetch: tail32}
	goRows64 = run.RowKernels{ISA: run.Portable, VL: PortableLanes, Full: full64, Tail: tail64, FullFetch: full64, TailFetch: tail64}

	full32 = []run.SparseKernel{func(args *run.SparseArgs) { rowsInGo[float32](args, PortableLanes) }}
	tail32 = []run.SparseKernel{func(args *run.SparseArgs) { rowsInGo[float32](args, int(args.N)) }}
	full64 = []run.SparseKernel{func(args *run.SparseArgs) { rowsInGo[float64](args, PortableLanes) }}
	tail64 = []run.SparseKernel{func(args *run.SparseArgs) { rowsInGo[float64](args, int(args.N)) }}
)

const PortableLanes = 256

// GoRows are those for T.
func GoRows[T dtype.Float]() *run.RowKernels {
	if dtype.Of[T]() == dtype.F32 {
		return &goRows32
	}
	return &goRows64
}

// rowsInGo is a row kernel for n columns.
func rowsInGo[T dtype.Float](args *run.SparseArgs, n int) {
	var sums [PortableLanes]T
	acc := sums[:n]
	alpha, beta := *(*T)(unsafe.Pointer(&args.Alpha)), *(*T)(unsafe.Pointer(&args.Beta))
	pointers := SliceOf((*int32)(args.Pointers), int(args.Rows)+1)
	for r := range int(args.Rows) {
		clear(acc)
		for k := int(pointers[r]); k < int(pointers[r+1]); k++ {
			v := *Element[T](args.Values, k)
			b := SliceOf((*T)(unsafe.Add(args.B, int(*Element[int32](args.Indices, k))*int(args.LdB))), n)
			for j := range acc {
				acc[j] += T(v * b[j])
			}
		}
		c := SliceOf((*T)(unsafe.Add(args.C, r*int(args.LdC))), n)
		FinishRow(c, acc, args.Mode, alpha, beta, nil)
	}
}

// FinishRow stores the sums of a row as kernels do; plus is that of a semiring, nil of sums.
func FinishRow[T dtype.Float](c, acc []T, mode int64, alpha, beta T, plus func(x, y T) T) {
	switch {
	case mode == kernel.ModeStore:
		copy(c, acc)
	case mode == kernel.ModeUpdate && plus != nil:
		for j, x := range acc {
			c[j] = plus(c[j], x)
		}
	case mode == kernel.ModeUpdate:
		for j, x := range acc {
			c[j] = T(beta*c[j]) + T(alpha*x)
		}
	default:
		for j, x := range acc {
			c[j] = alpha * x
		}
	}
}
