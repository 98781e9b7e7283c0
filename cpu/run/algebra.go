package run

import (
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// An Algebra is a [semiring.Semiring] as generated code has it: its functions, for code
// without assembly and for sums that are joined outside of it. The zero Algebra is that
// of sums of products.
type Algebra[T dtype.Float] struct {
	Zero        T   // neutral for Plus
	Inf         int // if not 0, Zero is infinite with this sign: a constant, so that no code runs to set it
	Plus, Times func(x, y T) T
	Commutative bool // Times is: a product may be done as that of the transposed operands
}

// Neutral returns what is neutral for Plus.
func (g Algebra[T]) Neutral() T {
	if g.Inf != 0 {
		return T(math.Inf(g.Inf))
	}
	return g.Zero
}

// Larger, Smaller and Times are functions of package semiring, under the names that code
// generated before it uses.
func Larger[T dtype.Float](x, y T) T { return semiring.Max(x, y) }

// Smaller is described with [Larger].
func Smaller[T dtype.Float](x, y T) T { return semiring.Min(x, y) }

// Times is described with [Larger].
func Times[T dtype.Float](x, y T) T { return semiring.Mul(x, y) }

// rowsInGo are the row kernels of the algebra in plain Go.
func (g Algebra[T]) rowsInGo(pattern bool) RowKernels {
	return sparseInGo(func(args *SparseArgs, n int) {
		var sums [portableLanes]T
		acc := sums[:n]
		zero := g.Neutral()
		alpha, beta := *(*T)(unsafe.Pointer(&args.Alpha)), *(*T)(unsafe.Pointer(&args.Beta))
		pointers := sliceOf((*int32)(args.Pointers), int(args.Rows)+1)
		for r := range int(args.Rows) {
			for j := range acc {
				acc[j] = zero
			}
			from, to := int(pointers[r]), int(pointers[r+1])
			for k := from; k < to; k++ {
				b := sliceOf((*T)(unsafe.Add(args.B, int(*element[int32](args.Indices, k))*int(args.LdB))), n)
				if pattern {
					g.take(acc, b)
				} else {
					g.step(acc, *element[T](args.Values, k), b)
				}
			}
			scale, mode := alpha, args.Mode
			if mode == kernel.ModeMean {
				scale, mode = alpha/T(max(to-from, 1)), kernel.ModeScale
			}
			finishRow(sliceOf((*T)(unsafe.Add(args.C, r*int(args.LdC))), n), acc, mode, scale, beta)
		}
	})
}

// step is acc ⊕= v ⊗ b, take acc ⊕= b.
func (g Algebra[T]) step(acc []T, v T, b []T) {
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

func (g Algebra[T]) take(acc, b []T) {
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
