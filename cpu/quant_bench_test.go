package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmi8"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
)

// BenchmarkQuantMatMul times requantising products on one core beside those that store their
// sums, with b packed beforehand: the medians of rounds that take turns, and by how many percent
// they are longer.
func BenchmarkQuantMatMul(b *testing.B) {
	for _, n := range []int{256, 512, 1024, 2048} {
		rnd := rand.New(level.PCG(1, uint64(n)))
		x, w := layout.New[uint8](n, n), layout.New[int8](n, n)
		for i := range x.Data {
			x.Data[i], w.Data[i] = uint8(rnd.Uint32()), int8(rnd.Uint32())
		}
		sums, out, wide := layout.New[int32](n, n), layout.New[int8](n, n), layout.New[float32](n, n)
		scales, bias := make([]float32, n), make([]int32, n)
		for j := range scales {
			scales[j], bias[j] = rnd.Float32()/100+1e-4, int32(rnd.IntN(2000))
		}
		one := cpu.Quant{Scale: []float32{0.01}}
		with := func(zero ...int32) cpu.Quant { return cpu.Quant{Scale: []float32{0.01}, Zero: zero} }
		column := cpu.Quant{Scale: scales, Axis: cpu.QuantPerColumn}
		opt := cpu.Options{Threads: 1}
		plain, packed, packedWide := opt, opt, opt
		plain.B, packed.B, packedWide.B = gemmi8.U8I8Pack(w), cpu.QuantPack[int8, uint8](w), cpu.QuantPack[float32, uint8](w)
		products := []struct {
			name string
			call func()
		}{
			{"sums", func() { gemmi8.U8I8Opt(plain, sums, x, w) }},
			{"i8", func() {
				cpu.QuantMatMulOpt(packed, out, x, w, cpu.QuantProduct{A: one, B: column, Out: with(3), Bias: bias})
			}},
			{"i8,za", func() {
				cpu.QuantMatMulOpt(packed, out, x, w, cpu.QuantProduct{A: with(17), B: column, Out: with(3), Bias: bias})
			}},
			{"i8,za,zb", func() {
				cpu.QuantMatMulOpt(packed, out, x, w, cpu.QuantProduct{A: with(17), B: cpu.Quant{Scale: []float32{0.01}, Zero: []int32{5}}, Out: with(3), Bias: bias})
			}},
			{"f32", func() { cpu.QuantMatMulOpt(packedWide, wide, x, w, cpu.QuantProduct{A: one, B: column, Bias: bias}) }},
		}
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			times := make([][]float64, len(products))
			for b.Loop() {
				for i, p := range products {
					start := time.Now()
					p.call()
					times[i] = append(times[i], float64(time.Since(start).Nanoseconds()))
				}
			}
			for i, p := range products {
				slices.Sort(times[i])
				middle := times[i][len(times[i])/2]
				b.ReportMetric(2*float64(n)*float64(n)*float64(n)/middle, p.name+":GOP/s")
				if i > 0 {
					b.ReportMetric(100*(middle/(times[0][len(times[0])/2])-1), p.name+":%over")
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
