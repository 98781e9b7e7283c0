package check

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/testenv"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Benchmark times f on square row-major matrices of random numbers as a
// sub-benchmark with key=value names, and reports GFLOP/s. The result is compared
// with a plain loop in some places first: a wrong kernel has no speed.
func Benchmark[T dtype.Float](b *testing.B, isa string, n int, f func(out, x, y layout.Matrix[T])) {
	b.Run(fmt.Sprintf("isa=%s/type=%v/n=%d", isa, dtype.Of[T](), n), func(b *testing.B) {
		r := rand.New(testenv.PCG(1, uint64(n)))
		fill := func() layout.Matrix[T] {
			m := layout.New[T](n, n)
			for i := range m.Data {
				m.Data[i] = T(r.NormFloat64())
			}
			return m
		}
		x, y, out := fill(), fill(), layout.New[T](n, n)
		f(out, x, y)
		for range 16 {
			i, j := r.IntN(n), r.IntN(n)
			sum, abs := 0.0, 0.0
			for k := range n {
				p := float64(x.At(i, k)) * float64(y.At(k, j))
				sum, abs = sum+p, abs+max(p, -p)
			}
			if d := sum - float64(out.At(i, j)); d > abs*1e-4 || d < -abs*1e-4 {
				b.Fatalf("element (%d, %d) is %v, the plain loop gives %v", i, j, out.At(i, j), sum)
			}
		}
		for b.Loop() {
			f(out, x, y)
		}
		b.ReportMetric(2*float64(n)*float64(n)*float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	})
}
