// Package storm_test calls generated kernels of all kinds at once, as cpu's test of that name calls its entry points.
package storm_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/gen/examples/fused"
	"github.com/tilesmith/tilesmith/gen/examples/graph"
	"github.com/tilesmith/tilesmith/gen/examples/small"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/internal/storm"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// TestStorm calls kernels for fixed shapes, on the stack too, fused ones and sparse ones from many goroutines.
func TestStorm(t *testing.T) {
	storm.Run(t, 4, calls())
}

func normal[T dtype.Float](r *rand.Rand, rows, cols int) layout.Matrix[T] {
	x := layout.New[T](rows, cols)
	for i := range x.Data {
		x.Data[i] = T(r.NormFloat64())
	}
	return x
}

// entries is a square matrix with about 5 % of its entries.
func entries[T dtype.Float](r *rand.Rand, n int) sparse.Matrix[T] {
	b := sparse.NewBuilder[T](n, n)
	for i := range n {
		for j := range n {
			if r.IntN(20) == 0 {
				b.Add(i, j, T(r.NormFloat64()))
			}
		}
	}
	m, err := b.Matrix()
	if err != nil {
		panic(err)
	}
	return m
}

func calls() []storm.Call {
	rng := rand.New(level.PCG(7, 11))
	a8, b8 := normal[float32](rng, 8, 8), normal[float32](rng, 8, 8)
	x, y := normal[float32](rng, 130, 70), normal[float32](rng, 70, 90)
	big, wide := normal[float32](rng, 200, 300), normal[float32](rng, 300, 170)
	batch := normal[float64](rng, 100*16, 16)
	bias, bias90 := normal[float32](rng, 1, 170).Data, normal[float32](rng, 1, 90).Data
	gelu := fused.DenseGELUPack(wide)
	s, sd := entries[float32](rng, 130), entries[float64](rng, 130)
	qd := normal[float64](rng, 130, 24)
	two := cpu.Options{Threads: 2}
	return []storm.Call{
		{Name: "Mul8Arrays, on the stack", Once: func() uint64 {
			var out [64]float32
			x, y := [64]float32(a8.Data), [64]float32(b8.Data)
			small.SGEMM8Arrays(&out, &x, &y)
			return storm.Bits(out[:])
		}},
		{Name: "Mul8", Once: func() uint64 {
			out := layout.New[float32](8, 8)
			small.SGEMM8(out, a8, b8)
			return storm.Bits(out.Data)
		}},
		{Name: "Dmul8Batch", Once: func() uint64 {
			out := make([]float64, 10*64)
			small.DGEMM8Batch(out, batch.Data[:640], batch.Data[640:1280], 10)
			return storm.Bits(out)
		}},
		{Name: "Mul8/other strides", Once: func() uint64 {
			out := layout.New[float32](8, 8)
			small.SGEMM8(out, a8.T(), b8)
			return storm.Bits(out.Data)
		}},
		{Name: "DenseGELU", Once: func() uint64 {
			out := layout.New[float32](130, 90)
			fused.DenseGELU(out, x, y, bias90)
			return storm.Bits(out.Data)
		}},
		{Name: "DenseGELU/packed/two threads", Once: func() uint64 {
			out, opt := layout.New[float32](200, 170), two
			opt.B = gelu
			fused.DenseGELUOpt(opt, out, big, wide, bias)
			return storm.Bits(out.Data)
		}},
		{Name: "Logits", Once: func() uint64 {
			out, peak, class, mass := layout.New[float32](130, 90), make([]float32, 130), make([]int32, 130), make([]float32, 90)
			fused.Logits(out, peak, class, mass, x, y, bias90)
			sum := storm.Bits(out.Data) + 3*storm.Bits(peak) + 5*storm.Bits(mass)
			for i, c := range class {
				sum += uint64(i+1) * uint64(c)
			}
			return sum
		}},
		{Name: "Layer", Once: func() uint64 {
			out := layout.New[float32](33, 40)
			small.LinearReLU(out, wide.Slice(0, 33, 0, 32), big.Slice(0, 32, 0, 40), bias[:40])
			return storm.Bits(out.Data)
		}},
		{Name: "Mul32Batch/two threads", Once: func() uint64 {
			out := make([]float64, 6*1024)
			small.DGEMM32BatchOpt(two, cpu.Batch{Count: 6, Out: 1024, A: 1024}, out, batch.Data[:6*1024], batch.Data[:1024])
			return storm.Bits(out)
		}},
		{Name: "Aggregate", Once: func() uint64 {
			out := layout.New[float32](130, 128)
			graph.Aggregate(out, s, layout.RowMajor(big.Data, 130, 128), bias[:128])
			return storm.Bits(out.Data)
		}},
		{Name: "Average", Once: func() uint64 {
			out := layout.New[float64](130, 24)
			graph.MeanAggregate(out, sd, qd)
			return storm.Bits(out.Data)
		}},
	}
}
