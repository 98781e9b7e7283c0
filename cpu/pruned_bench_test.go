package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
)

// BenchmarkMulPruned compares with the dense product of the same shape, for a batch of
// 256: "xdense" is how many times as fast this is. One thread.
func BenchmarkMulPruned(b *testing.B) {
	for _, n := range []int{1024, 4096} {
		for _, density := range []float64{.3, .1, .05} {
			b.Run(fmt.Sprintf("size=%d/density=%v", n, density), func(b *testing.B) {
				rng := rand.New(level.PCG(1, 2))
				a := randomEntries[float32](rng, n, n, density)
				w, full := Prune(a), normalDense[float32](rng, n, n)
				x, out, dense, rows := normalDense[float32](rng, n, 256), layout.New[float32](n, 256), layout.New[float32](n, 256), layout.New[float32](n, 256)
				opt := Options{Threads: 1}
				measure(b, func(t []float64) map[string]float64 {
					return map[string]float64{"GFLOP/s": 2 * float64(w.NNZ()*256) / t[0] / 1e9, "xdense": t[1] / t[0], "xspmm": t[2] / t[0]}
				}, func() { MulPruned(opt, out, w, x) }, func() { MatMulOpt(opt, dense, full, x) }, func() { SpMMOpt(opt, rows, a, x) })
			})
		}
	}
}
