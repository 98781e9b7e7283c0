package cpu

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// BenchmarkSmall is what a call of a small product takes, where checks and copies of
// arguments show.
func BenchmarkSmall(b *testing.B) {
	for _, n := range []int{4, 8, 16} {
		benchmarkSmall[float32](b, fmt.Sprintf("f32/n=%d", n), n)
		benchmarkSmall[float64](b, fmt.Sprintf("f64/n=%d", n), n)
	}
	x, y, out := layout.New[float32](8, 8), layout.New[float32](8, 8), layout.New[float32](8, 8)
	b.Run("SGEMM/n=8", func(b *testing.B) {
		for b.Loop() {
			gemmf.SGEMM(out, x, y)
		}
	})
	b.Run("Sgemm/n=8", func(b *testing.B) {
		for b.Loop() {
			BLAS32{}.Sgemm('N', 'N', 8, 8, 8, 1, x.Data, 8, y.Data, 8, 0, out.Data, 8)
		}
	})
}

func benchmarkSmall[T dtype.Float](b *testing.B, name string, n int) {
	x, y, out := layout.New[T](n, n), layout.New[T](n, n), layout.New[T](n, n)
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			MatMul(out, x, y)
		}
	})
	b.Run(name+"/opt", func(b *testing.B) {
		for b.Loop() {
			MatMulOpt(Options{Threads: 1}, out, x, y)
		}
	})
	b.Run(name+"/scaled", func(b *testing.B) {
		for b.Loop() {
			MatMulOpt(Options{Scaling: Scale(2, 1)}, out, x, y)
		}
	})
}
