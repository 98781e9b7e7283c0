package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// blockSparse is an n x n matrix of which about that part of the 32 x 32 blocks is
// there, dense.
func blockSparse(rng *rand.Rand, n int, density float64) sparse.Matrix[float32] {
	const size = 32
	b := sparse.NewBuilder[float32](n, n)
	for i0 := 0; i0 < n; i0 += size {
		for j0 := 0; j0 < n; j0 += size {
			if rng.Float64() >= density {
				continue
			}
			for i := range size * size {
				b.Add(i0+i/size, j0+i%size, float32(rng.NormFloat64()))
			}
		}
	}
	a, err := b.Matrix()
	if err != nil {
		panic(err)
	}
	return a
}

// BenchmarkSpMMBlocks compares with a dense product: "%dense" is how much of its rate
// the stored blocks reach. One thread.
func BenchmarkSpMMBlocks(b *testing.B) {
	for _, n := range []int{128, 512} {
		b.Run(fmt.Sprintf("size=4096/n=%d", n), func(b *testing.B) {
			rng := rand.New(level.PCG(1, 2))
			a, err := format.Pack(blockSparse(rng, 4096, .1), format.BSR(32))
			if err != nil {
				b.Fatal(err)
			}
			x, out := normalDense[float32](rng, 4096, n), layout.New[float32](4096, n)
			d, e, f := normalDense[float32](rng, 1024, 1024), normalDense[float32](rng, 1024, 1024), layout.New[float32](1024, 1024)
			opt := Options{Threads: 1}
			measure(b, func(t []float64) map[string]float64 {
				rate, dense := 2*float64(a.NNZ()*n)/t[0], 2*float64(1<<30)/t[1]
				return map[string]float64{"GFLOP/s": rate / 1e9, "%dense": 100 * rate / dense}
			}, func() { SpMMBlocks(opt, out, a, x) }, func() { MatMulOpt(opt, f, d, e) })
		})
	}
}
