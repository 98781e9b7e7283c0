package run_test

import (
	"runtime"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

var benchSet = cached(gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "Bench"}, nil)

// BenchmarkEmulator is how fast the emulator executes the kernels of a product of 256^3,
// with all checks: -cpu 1,2 says what a second core gives.
func BenchmarkEmulator(b *testing.B) {
	set := benchSet()
	for _, k := range set.Targets[0].Kernels {
		b.Run(k.Name, func(b *testing.B) {
			const n = 256
			d, s := emulator(b, emu.Options{Workers: runtime.GOMAXPROCS(0)})
			mk := func(trans bool) cuda.Matrix[dtype.BF16] {
				return upload(b, s, n, n, trans, 0, func(i, j int) dtype.BF16 { return dtype.ToBF16(small(1, i, j)) })
			}
			a, x, out := mk(!k.AK), mk(k.BK), mk(false)
			defer set.Forget(d)
			b.ResetTimer()
			for range b.N {
				c := run.Begin(set, s, run.Options{Kernel: k.Name})
				run.Out(c, out)
				run.A(c, a)
				run.B(c, x)
				if err := c.Launch(); err != nil {
					b.Fatal(err)
				}
			}
			if err := s.Synchronize(); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(2*n*n*n*float64(b.N)/b.Elapsed().Seconds()/1e6, "MFLOP/s")
		})
	}
}
