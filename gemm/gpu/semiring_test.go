package gpu

import (
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gemmtest"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

// TestInstructions: what a GPU's instruction computes in the interpreter is what the Go
// function does, to the bit, over special numbers and random ones.
func TestInstructions(t *testing.T) {
	for _, by := range []semiring.Instruction{semiring.AddBy, semiring.MulBy, semiring.MaxBy, semiring.MinBy} {
		op := ptxSemiring{gemm.Semiring{Parts: semiring.Parts{PlusBy: by, TimesBy: by}}}
		for _, f := range []gemmtest.Operation{op.Join, op.Product} {
			gemmtest.Instruction[float32](t, by, func(b *emit.Builder, x, y *emit.Value) *emit.Value {
				xs, ys := lanesOf(b, x), lanesOf(b, y) // a GPU's threads have one lane
				for i := range xs {
					xs[i] = f(b, xs[i], ys[i])
				}
				return vectorOf(b, xs)
			})
		}
	}
}
