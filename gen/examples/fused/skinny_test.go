package fused

import (
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
)

// Few rows or columns and a big operand have kernels of their own; the epilogue has
// to see every one of their sums, once, in its place. Small integers make it exact.
func TestSkinny(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	fill := func(rows, cols int, byCols bool) layout.Matrix[float32] {
		m := layout.New[float32](rows, cols)
		if byCols {
			m = layout.New[float32](cols, rows).T()
		}
		for i := range m.Data {
			m.Data[i] = float32(r.IntN(9) - 4)
		}
		return m
	}
	for _, isa := range run.ISAs() {
		if isa == run.Portable {
			continue
		}
		for _, s := range []int{1, 2, 5, 8, 13, 16} {
			for way := range 8 {
				m, n, k := s, 1030, 300
				if way&1 != 0 {
					m, n = n, m
				}
				a, b, res := fill(m, k, way&2 != 0), fill(k, n, way&4 != 0), fill(m, n, false)
				out, pre := layout.New[float32](m, n), layout.New[float32](m, n)
				ResidualOpt(run.Options{ISA: isa, Threads: 1 + s%3}, out, pre, a, b, res, 2)
				for i := range m {
					for j := range n {
						acc := float32(0)
						for k := range k {
							acc += a.Data[i*a.RowStride+k*a.ColStride] * b.Data[k*b.RowStride+j*b.ColStride]
						}
						wantOut, wantPre := residualResidualFn(acc, res.Data[i*n+j], 2)
						if p := i*n + j; pre.Data[p] != wantPre || out.Data[p] != wantOut {
							t.Fatalf("%s %d x %d x %d, way %d: (%d, %d) is %v and %v, want %v and %v", isa, m, n, k, way, i, j, out.Data[p], pre.Data[p], wantOut, wantPre)
						}
					}
				}
			}
		}
	}
}
