package dense

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/plain"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

// Dense products of a semiring. Every element is Plus, over k, of Times(a, b), from Zero
// on and in the order of k. Kernels sum blocks of k in that way and then join the blocks
// in their order, which is the same wherever Plus is exact. There is no alpha and no
// beta: nothing is done that the semiring does not say.

// checkSemiring refuses options and a structure that products of a semiring do not have.
func checkSemiring(name string, opt *run.Options, is Structure) {
	switch {
	case opt.Conj != 0:
		check.Call(name).RefuseOption("conjugates belong to sums of products, this is another semiring; leave Options.Conj unset")
	case opt.Scaling.On():
		check.Call(name).RefuseOption("alpha and beta belong to sums of products, this is another semiring; leave Options.Scaling unset")
	case is != (Structure{}):
		check.Call(name).RefuseOption("triangles belong to sums of products, this is another semiring; leave Call.Structure unset")
	}
}

// semiringInGo is a product in plain Go, a piece of a row at a time.
func semiringInGo[T dtype.AnySum](ring *semiring.Semiring[T], out, a, b layout.Matrix[T]) {
	var sums [plain.Row]T
	zero, plus, times := ring.Zero, ring.Plus, ring.Times
	for i := range out.Rows {
		for from := 0; from < out.Cols; from += len(sums) {
			acc := sums[:min(len(sums), out.Cols-from)]
			for j := range acc {
				acc[j] = zero
			}
			for k := range a.Cols {
				x, y := a.Data[i*a.RowStride+k*a.ColStride], b.Data[k*b.RowStride+from*b.ColStride:]
				for j := range acc {
					acc[j] = plus(acc[j], times(x, y[j*b.ColStride]))
				}
			}
			row := out.Data[i*out.RowStride+from*out.ColStride:]
			for j, x := range acc {
				row[j*out.ColStride] = x
			}
		}
	}
}
