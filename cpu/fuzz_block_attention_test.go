package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/mask"
)

// FuzzBlockAttention compares masks of any shape with the formula, on every ISA, with
// numbers that are not finite wherever they must not count.
func FuzzBlockAttention(f *testing.F) {
	f.Add(uint64(1), uint16(70), uint16(90), uint8(16), uint8(5), uint8(17), true)
	f.Add(uint64(2), uint16(3), uint16(300), uint8(1), uint8(1), uint8(1), false)
	f.Add(uint64(3), uint16(0), uint16(300), uint8(96), uint8(1), uint8(0), false)
	f.Add(uint64(4), uint16(70), uint16(0), uint8(16), uint8(1), uint8(0), true)
	f.Fuzz(func(t *testing.T, seed uint64, rows, cols uint16, size, depth, width uint8, causal bool) {
		m, n, block := int(rows%200), int(cols%400), 1+int(size)
		rng := rand.New(rand.NewPCG(seed, 1))
		b := sparse.NewBuilder[float32]((m+block-1)/block, (n+block-1)/block)
		for i := range (m + block - 1) / block {
			for j := range (n + block - 1) / block {
				if rng.IntN(3) == 0 {
					b.Add(i, j, 0)
				}
			}
		}
		blocks, err := b.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		mask, err := mask.New(m, n, block, blocks)
		if err != nil {
			t.Fatal(err)
		}
		if causal {
			mask = mask.Causal()
		}
		s := maskElements[float64](mask)
		q, k, v := normalDense[float64](rng, m, 1+int(depth%70)), normalDense[float64](rng, n, 1+int(depth%70)), normalDense[float64](rng, n, 1+int(width%70))
		poison(s, q, k)
		poison(s, q, v)
		dout := normalDense[float64](rng, m, v.Cols)
		want, sizes := attentionOf(s, 1/math.Sqrt(float64(q.Cols)), false, q, k, v)
		grads, gradSizes := attentionBack(s, 1/math.Sqrt(float64(q.Cols)), q, k, v, dout)
		for _, isa := range run.PlainISAs() {
			opt := BlockAttentionOptions{Options: Options{ISA: isa}, LogSums: make([]float64, m)}
			out := layout.New[float64](m, v.Cols)
			BlockAttention(opt, out, mask, q, k, v)
			near(t, out, want, sizes, q.Cols, n)
			have := [3]layout.Matrix[float64]{layout.New[float64](m, q.Cols), layout.New[float64](n, q.Cols), layout.New[float64](n, v.Cols)}
			BlockAttentionBack(opt, have[0], have[1], have[2], mask, q, k, v, out, dout)
			for g := range have {
				t.Log(fmt.Sprint("gradient ", g, " on ", isa))
				near(t, have[g], grads[g].Data, gradSizes[g].Data, q.Cols+v.Cols, m+n)
			}
		}
	})
}
