package spblas

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// The row kernels in plain Go: one "vector" of portableLanes, whose sums stay in L1.
// They are values that the linker lays out, and drops where no call needs them.
var (
	goRows32 = kernel.RowKernels[kernel.SparseKernel]{ISA: run.Portable, VL: portableLanes, Full: full32, Tail: tail32, FullFetch: full32, TailFetch: tail32}
	goRows64 = kernel.RowKernels[kernel.SparseKernel]{ISA: run.Portable, VL: portableLanes, Full: full64, Tail: tail64, FullFetch: full64, TailFetch: tail64}

	full32 = []kernel.SparseKernel{func(args *kernel.SparseArgs) { rowsInGo[float32](args, portableLanes) }}
	tail32 = []kernel.SparseKernel{func(args *kernel.SparseArgs) { rowsInGo[float32](args, int(args.N)) }}
	full64 = []kernel.SparseKernel{func(args *kernel.SparseArgs) { rowsInGo[float64](args, portableLanes) }}
	tail64 = []kernel.SparseKernel{func(args *kernel.SparseArgs) { rowsInGo[float64](args, int(args.N)) }}
)

const portableLanes = 256

// sparseInGo makes row kernels of rows, which does n columns.
func sparseInGo(rows func(args *kernel.SparseArgs, n int)) kernel.RowKernels[kernel.SparseKernel] {
	full := []kernel.SparseKernel{func(args *kernel.SparseArgs) { rows(args, portableLanes) }}
	tail := []kernel.SparseKernel{func(args *kernel.SparseArgs) { rows(args, int(args.N)) }}
	return kernel.RowKernels[kernel.SparseKernel]{ISA: run.Portable, VL: portableLanes, Full: full, Tail: tail, FullFetch: full, TailFetch: tail}
}

func sliceOf[T any](p *T, n int) []T { return unsafe.Slice(p, n) }

// element returns the address of element i of an array of T at p.
func element[T any](p unsafe.Pointer, i int) *T {
	var z T
	return (*T)(unsafe.Add(p, i*int(unsafe.Sizeof(z))))
}

// rowsInGo is a row kernel for n columns.
func rowsInGo[T dtype.Float](args *kernel.SparseArgs, n int) {
	var sums [portableLanes]T
	acc := sums[:n]
	alpha, beta := *(*T)(unsafe.Pointer(&args.Alpha)), *(*T)(unsafe.Pointer(&args.Beta))
	pointers := sliceOf((*int32)(args.Pointers), int(args.Rows)+1)
	for r := range int(args.Rows) {
		clear(acc)
		for k := int(pointers[r]); k < int(pointers[r+1]); k++ {
			v := *element[T](args.Values, k)
			b := sliceOf((*T)(unsafe.Add(args.B, int(*element[int32](args.Indices, k))*int(args.LdB))), n)
			for j := range acc {
				acc[j] += T(v * b[j])
			}
		}
		c := sliceOf((*T)(unsafe.Add(args.C, r*int(args.LdC))), n)
		finishRow(c, acc, args.Mode, alpha, beta, nil)
	}
}

// rowsInPlace is a sum of products in compressed rows with a b of any strides in place.
// It is for a b that repeats its elements so often that a copy would be far larger, and
// would take longer than the product.
func rowsInPlace[T dtype.Float](alpha, beta T, out layout.Matrix[T], a sparse.Raw, b layout.Matrix[T]) {
	pointers, sums := rowPointers(a), make([]T, out.Cols)
	for i := range out.Rows {
		clear(sums)
		for k := int(pointers[i]); k < int(pointers[i+1]); k++ {
			v, row := *element[T](a.Values, k), int(*element[int32](a.Indices, k))*b.RowStride
			for j := range sums {
				sums[j] += T(v * b.Data[row+j*b.ColStride])
			}
		}
		for j, s := range sums {
			mem.Store(alpha, s, beta, &out.Data[i*out.RowStride+j*out.ColStride])
		}
	}
}

// finishRow stores the sums of a row as kernels do; plus is that of a semiring, nil of sums.
func finishRow[T dtype.Float](c, acc []T, mode int64, alpha, beta T, plus func(x, y T) T) {
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
