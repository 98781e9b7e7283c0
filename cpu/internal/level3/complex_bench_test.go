package level3_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/internal/level"
)

// BenchmarkComplex times every routine on one core, beside the product of the same call. A complex
// multiplication and addition are eight of reals; triangles count what has to be computed.
func BenchmarkComplex(b *testing.B) {
	cpu.SetThreads(1)
	defer cpu.SetThreads(0)
	r := rand.New(level.PCG(1, 2))
	for _, n := range []int{16, 32, 64, 512, 1024} {
		x, y, z := make([]complex128, n*n), make([]complex128, n*n), make([]complex128, n*n)
		for i := range x {
			x[i], y[i] = complex(r.NormFloat64(), r.NormFloat64()), complex(r.NormFloat64(), r.NormFloat64())
		}
		for i := range n { // so that neither results nor solutions grow
			x[i*n+i] = complex(1, 0)
		}
		g := cargs{args: args{s: blas.Left, ul: blas.Lower, t: blas.NoTrans, d: blas.Unit, m: n, n: n, lda: n, ldb: n, ldc: n}, tB: blas.NoTrans, alpha: 1}
		for _, name := range complexNames {
			flops := map[string]float64{"syrk": 4, "herk": 4, "trmm": 4, "trsm": 4}[name]
			if flops == 0 {
				flops = 8
			}
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				fresh := append([]complex128(nil), y...)
				small := append([]complex128(nil), x...)
				for i := range small {
					if i%(n+1) != 0 {
						small[i] /= complex(float64(8*n), 0)
					}
				}
				a := x
				if name[0] == 't' {
					a = small
				}
				for b.Loop() {
					routineC(name, complexes, g, a, fresh, z)
				}
				b.ReportMetric(flops*float64(n)*float64(n)*float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}
