package layers

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/verify/peer"
)

// BenchmarkRequantise measures what an epilogue costs that makes uint8 of sums of int32: a product with
// it beside one that stores the sums, in turns, one thread each.
func BenchmarkRequantise(b *testing.B) {
	for _, n := range []int{256, 1024} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			r := rand.New(level.PCG(uint64(n), 1))
			out, sums, a, w := layout.New[uint8](n, n), layout.New[int32](n, n), layout.New[uint8](n, n), layout.New[int8](n, n)
			for i := range a.Data {
				a.Data[i], w.Data[i] = uint8(r.IntN(256)), int8(r.IntN(256)-128)
			}
			bias, scale := make([]int32, n), make([]float32, n)
			for j := range scale {
				bias[j], scale[j] = int32(j%64-32), 1.0/1024
			}
			plain, opt := cpu.Options{Threads: 1, B: cpu.PackOf[int32, uint8](w)}, cpu.Options{Threads: 1, B: DenseInt8Pack(w)}
			runs := []func(int){func(times int) {
				for range times {
					DenseInt8Opt(opt, out, a, w, bias, scale)
				}
			}, func(times int) {
				for range times {
					cpu.MatMulOfOpt[int32](plain, sums, a, w)
				}
			}}
			runs[0](1)
			runs[1](1)
			for e, v := range out.Data {
				if want := uint8(max(0, min(255, math.RoundToEven(float64(float32(sums.Data[e]+bias[e%n])*scale[e%n]))))); v != want {
					b.Fatalf("element %d is %v, want %v", e, v, want)
				}
			}
			var seconds []float64
			for b.Loop() {
				seconds = peer.InTurns(runs...)
			}
			b.ReportMetric(100*(seconds[0]/seconds[1]-1), "%more")
		})
	}
}
