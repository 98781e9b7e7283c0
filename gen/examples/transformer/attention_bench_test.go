package transformer

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/kern/softmaxf"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// BenchmarkAttentionTable prints how long a head of 4096 tokens of 64 numbers takes on one thread, not causal, and its bound: products at the rate of multiply-adds from registers,
// and powers of e and maxima at that of their own kernel on scores in L1; and how much memory a call allocates beside that of its result.
//
//	go test -run '^$' -bench AttentionTable -benchtime 1x ./gen/examples/transformer
func BenchmarkAttentionTable(b *testing.B) {
	at := slices.IndexFunc(softmaxf.KernelsF32, func(k *kernel.Table[kernel.Func[kernel.SparseArgs]]) bool { return slices.Contains(run.ISAs(), k.ISA) })
	if at < 0 {
		b.Skip("needs assembly")
	}
	const n, width = 4096, 64
	kern := softmaxf.KernelsF32[at]
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
	args := kernel.SparseArgs{A: unsafe.Pointer(&scores[0]), LdA: 4 * cols, Rows: rows, K: int64(cols / kern.VL), B: unsafe.Pointer(&state[0]), C: unsafe.Pointer(&state[0])}
	spin := roof.Spinner(kern.ISA, dtype.F32)
	const turns = 25
	var times, products, powers, shares []float64
	ms := func(f func()) float64 { return timed(1, f) }
	softmax := func(step bool) func() {
		return func() {
			for range n * n / (rows * cols) {
				copy(scores, random) // random scores, as they were, each time
				if step {
					kern.Op("Step").F(&args)
				}
			}
		}
	}
	for range turns {
		took := ms(func() { a.forward(p, qkv, seqs) })
		product := ms(func() { spin(4 * n * n * width) })
		power := ms(softmax(true)) - ms(softmax(false))
		times, products, powers = append(times, took), append(products, product), append(powers, power)
		shares = append(shares, 100*(product+power)/took)
	}
	for _, s := range [][]float64{times, products, powers, shares} {
		slices.Sort(s)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a.forward(p, qkv, seqs)
	runtime.ReadMemStats(&after)
	fmt.Printf("%s: %.1f ms (the best %.1f); bound: products %.1f (%.1f) and powers %.1f (%.1f); of the bound %.0f %% (%.0f to %.0f); %d bytes allocated\n", kern.ISA,
		times[turns/2], times[0], products[turns/2], products[0], powers[turns/2], powers[0], shares[turns/2], shares[turns/4], shares[3*turns/4], after.TotalAlloc-before.TotalAlloc)
}
