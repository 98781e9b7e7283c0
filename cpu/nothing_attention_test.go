package cpu

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse/mask"
	"github.com/tilesmith/tilesmith/verify/check/hostile"
)

// TestNothingAttention: attention and its gradients take masks without rows or columns, and heads of width 0.
func TestNothingAttention(t *testing.T) {
	for shape := range 3 * 3 * 3 * 3 {
		m, n, depth, width := shape%3*2, shape/3%3*2, shape/9%3, shape/27
		mask, err := mask.Full(m, n, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, isa := range run.PlainISAs() {
			x := func(rows, cols int) layout.Matrix[float32] { return layout.New[float32](rows, cols) }
			opt := BlockAttentionOptions{Options: Options{ISA: isa}, LogSums: make([]float64, m)}
			out, q, k, v := x(m, width), x(m, depth), x(n, depth), x(n, width)
			what := fmt.Sprintf("%d x %d rows, heads of %d and %d on %s", m, n, depth, width, isa)
			hostile.AtOnce(t, "BlockAttention, "+what, func() { BlockAttention(opt, out, mask, q, k, v) })
			hostile.AtOnce(t, "BlockAttentionBack, "+what, func() {
				BlockAttentionBack(opt, x(m, depth), x(n, depth), x(n, width), mask, q, k, v, out, x(m, width))
			})
		}
	}
}
