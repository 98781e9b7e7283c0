package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// filled is a matrix of random elements.
func filled[T dtype.Elem](r *rand.Rand, rows, cols int) layout.Matrix[T] {
	m := layout.New[T](rows, cols)
	switch data := any(m.Data).(type) {
	case []dtype.BF16:
		for i := range data {
			data[i] = dtype.ToBF16(r.NormFloat64())
		}
	case []dtype.F16:
		for i := range data {
			data[i] = dtype.ToF16(r.NormFloat64())
		}
	case []int8:
		for i := range data {
			data[i] = int8(r.Uint32())
		}
	case []uint8:
		for i := range data {
			data[i] = uint8(r.Uint32())
		}
	case []int16:
		for i := range data {
			data[i] = int16(r.Uint32())
		}
	case []float32:
		for i := range data {
			data[i] = float32(r.NormFloat64())
		}
	}
	return m
}

// BenchmarkMatMulOf reports GFLOP/s, or GOP/s of integers, of square products on one core, with b
// as it lies and packed.
func BenchmarkMatMulOf(b *testing.B) {
	b.Run("f32", benchOf[float32, float32, float32])
	b.Run("bf16", benchOf[dtype.BF16, dtype.BF16, float32])
	b.Run("f16", benchOf[dtype.F16, dtype.F16, float32])
	b.Run("u8i8", benchOf[uint8, int8, int32])
	b.Run("i8", benchOf[int8, int8, int32])
	b.Run("u8", benchOf[uint8, uint8, int32])
	b.Run("i16", benchOf[int16, int16, int32])
}

func benchOf[A, B dtype.Elem, Acc dtype.Sum](b *testing.B) {
	r := rand.New(level.PCG(1, 2))
	for _, n := range []int{16, 32, 64, 256, 512, 1024, 2048} {
		x, y, out := filled[A](r, n, n), filled[B](r, n, n), layout.New[Acc](n, n)
		for _, packed := range []bool{false, true} {
			b.Run(fmt.Sprintf("n=%d/packed=%v", n, packed), func(b *testing.B) {
				opt := Options{Threads: 1}
				if packed {
					opt.B = PackOf[Acc, A](y)
				}
				for b.Loop() {
					MatMulOfOpt[Acc](opt, out, x, y)
				}
				b.ReportMetric(2*float64(n)*float64(n)*float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GOP/s")
			})
		}
	}
}

// BenchmarkDecodeOf reports GB/s of packed weights, of which there are more than the caches
// hold, and GOP/s, of products with few rows.
func BenchmarkDecodeOf(b *testing.B) {
	b.Run("bf16", decodeOf[dtype.BF16, dtype.BF16, float32])
	b.Run("f16", decodeOf[dtype.F16, dtype.F16, float32])
	b.Run("u8i8", decodeOf[uint8, int8, int32])
}

func decodeOf[A, B dtype.Elem, Acc dtype.Sum](b *testing.B) {
	const n, k = 4096, 4096
	r := rand.New(level.PCG(1, 2))
	size := dtype.Of[B]().Size()
	opts := make([]Options, (128<<20)/(n*k*size))
	ys := make([]layout.Matrix[B], len(opts))
	for i := range opts {
		ys[i] = filled[B](r, k, n)
		opts[i] = Options{Threads: 1, B: PackOf[Acc, A](ys[i])}
	}
	for _, m := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprintf("m=%d", m), func(b *testing.B) {
			x, out := filled[A](r, m, k), layout.New[Acc](m, n)
			i := 0
			for b.Loop() {
				MatMulOfOpt[Acc](opts[i%len(opts)], out, x, ys[i%len(opts)])
				i++
			}
			b.ReportMetric(float64(n*k*size)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
			b.ReportMetric(2*float64(m)*n*k*float64(b.N)/b.Elapsed().Seconds()/1e9, "GOP/s")
		})
	}
}
