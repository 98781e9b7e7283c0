package tensors

import (
	"math"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/equation"
	"github.com/tilesmith/tilesmith/layout"
)

// BenchmarkBars compares equations of 4096 x 1024 float32, on one thread, with what they cannot
// be faster than: the copy between the same matrices by ordinary stores, for each byte that
// they read and write, and themselves where all is in L2. They take turns, a block of rows at a
// time, of which each counts with its fastest turn. A share is of the slower of the two.
func BenchmarkBars(b *testing.B) {
	const m, n, block, few = 4096, 1024, 256, 32
	x, y, out := layout.New[float32](m, n), layout.New[float32](m, n), layout.New[float32](m, n)
	for i := range x.Data {
		x.Data[i], y.Data[i] = float32(i%1013)/256-2, float32(i%7)
	}
	gain, bias, floor := make([]float32, n), make([]float32, n), make([]float32, m)
	mask := layout.New[uint8](m, n/8)
	opt := run.Options{Threads: 1}
	ops := []struct {
		name  string
		bytes float64 // an element, in those of a copy
		f     func(out, x layout.Matrix[float32])
	}{
		{"copy", 1, func(out, x layout.Matrix[float32]) { CopyOpt(opt, out, x) }},
		{"softmax", 1, func(out, x layout.Matrix[float32]) { SoftmaxOpt(opt, out, x) }},
		{"layernorm", 1, func(out, x layout.Matrix[float32]) { LayerNormOpt(opt, out, x, gain, bias, 1e-5) }},
		{"rmsnorm", 1, func(out, x layout.Matrix[float32]) { RMSNormOpt(opt, out, x, gain, 1e-5) }},
		{"gelu", 1, func(out, x layout.Matrix[float32]) { GELUOpt(opt, out, x) }},
		{"dropout", 1, func(out, x layout.Matrix[float32]) { DropoutOpt(opt, out, x, 1<<30, 2, equation.Stream{}) }},
		{"relu-mask", 1 + 1./64, func(out, x layout.Matrix[float32]) { ReLUMaskOpt(opt, out, mask.Slice(0, x.Rows, 0, n/8), x) }},
		{"mask-back", 1 + 1./64, func(out, x layout.Matrix[float32]) { MaskBackwardOpt(opt, out, mask.Slice(0, x.Rows, 0, n/8), x, 2) }},
		{"chain", 1.5, func(out, x layout.Matrix[float32]) {
			ElementwiseChainOpt(opt, out, x, y.Slice(0, x.Rows, 0, n), gain, bias, floor[:x.Rows])
		}},
	}
	best, alone := make([]float64, len(ops)), make([]float64, len(ops))
	turns := make([][m / block]float64, len(ops))
	for i := range ops {
		alone[i] = math.Inf(1)
		for k := range turns[i] {
			turns[i][k] = math.Inf(1)
		}
	}
	since := func(f func()) float64 {
		t := time.Now()
		f()
		return time.Since(t).Seconds()
	}
	for b.Loop() {
		for i, o := range ops {
			for k := range turns[i] {
				turns[i][k] = min(turns[i][k], since(func() { o.f(out.Slice(k*block, (k+1)*block, 0, n), x.Slice(k*block, (k+1)*block, 0, n)) }))
			}
			for range 4 {
				alone[i] = min(alone[i], m/few*since(func() { o.f(out.Slice(0, few, 0, n), x.Slice(0, few, 0, n)) }))
			}
		}
	}
	for i := range ops {
		for _, t := range turns[i] {
			best[i] += t
		}
	}
	for i, o := range ops {
		copied := best[0] * o.bytes
		b.Logf("%-10s %6.2f ms; its bytes copied %6.2f ms, in L2 %6.2f ms: %3.0f %% of the slower", o.name, 1e3*best[i], 1e3*copied, 1e3*alone[i], 100*max(copied, alone[i])/best[i])
		b.ReportMetric(100*max(copied, alone[i])/best[i], o.name+"-%")
	}
}
