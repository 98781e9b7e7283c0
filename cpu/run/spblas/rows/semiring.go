package rows

import (
	"unsafe"

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
func semiringRows[T dtype.Float](g semiring.Semiring[T], pattern bool) run.RowKernels {
	return sparseInGo(func(args *run.SparseArgs, n int) {
		var sums [call.PortableLanes]T
		acc := sums[:n]
		zero := g.Zero
		alpha, beta := *(*T)(unsafe.Pointer(&args.Alpha)), *(*T)(unsafe.Pointer(&args.Beta))
		pointers := call.SliceOf((*int32)(args.Pointers), int(args.Rows)+1)
		for r := range int(args.Rows) {
			for j := range acc {
				acc[j] = zero
			}
			from, to := int(pointers[r]), int(pointers[r+1])
			for k := from; k < to; k++ {
				b := call.SliceOf((*T)(unsafe.Add(args.B, int(*call.Element[int32](args.Indices, k))*int(args.LdB))), n)
				if pattern {
					addEntry(&g, acc, b)
				} else {
					addProduct(&g, acc, *call.Element[T](args.Values, k), b)
				}
			}
			scale, mode := alpha, args.Mode
			if mode == kernel.ModeMean {
				scale, mode = alpha/T(max(to-from, 1)), kernel.ModeScale
			}
			call.FinishRow(call.SliceOf((*T)(unsafe.Add(args.C, r*int(args.LdC))), n), acc, mode, scale, beta, g.Plus)
		}
	})
}

// addProduct is acc ⊕= v ⊗ b, addEntry acc ⊕= b.
func addProduct[T dtype.Float](g *semiring.Semiring[T], acc []T, v T, b []T) {
	if g.Plus == nil {
		for j := range acc {
			acc[j] += T(v * b[j])
		}
		return
	}
	for j := range acc {
		acc[j] = g.Plus(acc[j], g.Times(v, b[j]))
	}
}

func addEntry[T dtype.Float](g *semiring.Semiring[T], acc, b []T) {
	if g.Plus == nil {
		for j := range acc {
			acc[j] += b[j]
		}
		return
	}
	for j := range acc {
		acc[j] = g.Plus(acc[j], b[j])
	}
}
