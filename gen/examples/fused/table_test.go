//go:build amd64 && !noasm && !purego

package fused

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// BenchmarkEpilogues prints what the epilogues cost on one core: over the plain
// product, against the product followed by a pass with the same kernel over the
// result, and against the kernel alone on a block that stays in L1.
//
//	go test -run '^$' -bench Epilogues -benchtime 1x ./gen/examples/fused
func BenchmarkEpilogues(b *testing.B) {
	for b.Loop() {
		for i, isa := range []string{"avx512", "avx2"} {
			if run.ISAs()[0] != isa && (len(run.ISAs()) < 3 || run.ISAs()[1] != isa) {
				continue
			}
			o := run.Options{Threads: 1, ISA: isa}
			fmt.Printf("\n%s: bias and tanh-GELU; times in us\n", isa)
			epilogues(o, "f32", denseGELUVariants[i].Epi, func(out, a, b layout.Matrix[float32]) { gemmf.SGEMMOpt(o, out, a, b) },
				func(out, a, b layout.Matrix[float32], bias []float32) { DenseGELUOpt(o, out, a, b, bias) })
			epilogues(o, "f64", denseGELUF64Variants[i].Epi, func(out, a, b layout.Matrix[float64]) { gemmf.DGEMMOpt(o, out, a, b) },
				func(out, a, b layout.Matrix[float64], bias []float64) { DenseGELUF64Opt(o, out, a, b, bias) })
			fmt.Printf("\n%s: bias and erf-GELU; times in us\n", isa)
			epilogues(o, "f32", denseGELUErfVariants[i].Epi, func(out, a, b layout.Matrix[float32]) { gemmf.SGEMMOpt(o, out, a, b) },
				func(out, a, b layout.Matrix[float32], bias []float32) { DenseGELUErfOpt(o, out, a, b, bias) })
		}
	}
}

func epilogues[T dtype.Float](o run.Options, name string, epi func(*kernel.EpiArgs), plain func(out, a, b layout.Matrix[T]), fused func(out, a, b layout.Matrix[T], bias []T)) {
	r := rand.New(level.PCG(9, 10))
	fill := func(rows, cols int) layout.Matrix[T] {
		m := layout.New[T](rows, cols)
		for i := range m.Data {
			m.Data[i] = T(r.NormFloat64())
		}
		return m
	}
	size := int(unsafe.Sizeof(T(0)))
	pass := func(out, sums layout.Matrix[T], bias []T) {
		args := &kernel.EpiArgs{Tile: unsafe.Pointer(&sums.Data[0]), TileLd: int64(sums.RowStride * size), Rows: int64(sums.Rows), Cols: int64(sums.Cols)}
		args.Slots[0].P, args.Slots[0].Rs = unsafe.Pointer(&out.Data[0]), int64(out.RowStride*size)
		args.Slots[1].P = unsafe.Pointer(&bias[0])
		epi(args)
	}
	tile, small, smallBias := fill(16, 48), layout.New[T](16, 48), fill(1, 48).Data
	alone := fastest(1, func() { pass(small, tile, smallBias) }) / (16 * 48)
	for _, n := range []int{64, 128, 256, 512, 1024, 2048} {
		a, b, out, tmp, bias := fill(n, n), fill(n, n), layout.New[T](n, n), layout.New[T](n, n), fill(1, n).Data
		reps := max(1, int(2e7/float64(n*n*n)*16))
		fastest(reps, func() { plain(out, a, b) }, func() { fused(out, a, b, bias) }, func() { plain(tmp, a, b); pass(out, tmp, bias) })
		p, f, u := times[0], times[1], times[2]
		fmt.Printf("%s n=%-5d plain %9.1f  fused %9.1f = +%5.1f %%  of the kernel alone %.2fx  unfused %9.1f = %.2fx\n",
			name, n, p*1e6, f*1e6, 100*(f/p-1), (f-p)/(alone*float64(n*n)), u*1e6, u/f)
	}
}

var times [3]float64 // of the last call of fastest

// fastest returns the seconds of the first function's best run; all take turns.
func fastest(reps int, fs ...func()) float64 {
	for i := range times {
		times[i] = 1e9
	}
	for range 25 {
		for i, f := range fs {
			start := time.Now()
			for range reps {
				f()
			}
			times[i] = min(times[i], time.Since(start).Seconds()/float64(reps))
		}
	}
	return times[0]
}
