package transformer

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/kern/softmaxf32"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// BenchmarkAttentionTable prints how long a head of 4096 tokens of 64 numbers takes on one thread, not causal, and its bound: products at the rate of multiply-adds from registers,
// and powers of e and maxima at that of their own kernel on scores in L1; and how much memory a call allocates beside that of its result.
//
//	go test -run '^$' -bench AttentionTable -benchtime 1x ./gen/examples/transformer
func BenchmarkAttentionTable(b *testing.B) {
	at := slices.IndexFunc(softmaxf32.Kernels, func(k *run.SoftmaxKernels) bool { return slices.Contains(run.ISAs(), k.ISA) })
	if at < 0 {
		b.Skip("needs assembly")
	}
	const n, width = 4096, 64
	kern := softmaxf32.Kernels[at]
	qkv := layout.New[float32](n, 3*width)
	rand.Normal(rand.Stream{Seed: 1}, 0, qkv.Data, 0, 1)
	a := &attention[float32]{heads: 1}
	seqs := Sequences{Length: n}
	p := &Pass{Threads: 1}
	a.forward(p, qkv, seqs)

	const rows, cols = 16, 256 // with a copy, in L1
	random := make([]float32, rows*cols)
	rand.Normal(rand.Stream{Seed: 2}, 0, random, 0, 1)
	scores, state := make([]float32, rows*cols), make([]float32, rows*2*kern.VL)
	args := run.SparseArgs{A: unsafe.Pointer(&scores[0]), LdA: 4 * cols, Rows: rows, K: int64(cols / kern.VL), B: unsafe.Pointer(&state[0]), C: unsafe.Pointer(&state[0])}
	var times, bounds [5]float64
	var products, powers float64
	for i := range times {
		times[i] = timed(5, func() { a.forward(p, qkv, seqs) })
		products = 1e3 * 4 * n * n * width / roof.FMA(kern.ISA, dtype.F32, 50*time.Millisecond)
		again := timed(9, func() { // random scores, as they were, each time
			for range 200 {
				copy(scores, random)
				kern.Step(&args)
			}
		})
		copies := timed(9, func() {
			for range 200 {
				copy(scores, random)
			}
		})
		powers = (again - copies) / 200 * n * n / (rows * cols)
		bounds[i] = products + powers
	}
	slices.Sort(times[:])
	slices.Sort(bounds[:])
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a.forward(p, qkv, seqs)
	runtime.ReadMemStats(&after)
	fmt.Printf("%s: %.1f ms; bound %.1f ms, of which products %.1f and powers %.1f: %.0f %%; %d bytes allocated\n", kern.ISA, times[2], bounds[2], products, powers, 100*bounds[2]/times[2], after.TotalAlloc-before.TotalAlloc)
}
