package fused

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
)

// Few rows or columns and a big operand have kernels of their own; the epilogue has
// to see every one of their sums, once, in its place. Small integers make it exact.
func TestSkinny(t *testing.T) {
	r := rand.New(level.PCG(3, 4))
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
	for _, isa := range run.PlainISAs() {
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

// TestSkinnyReductions: of rows and of columns, along the short side and the long one, of
// small integers, for which every order of additions gives the same; and on other numbers
// the same bits for every number of threads.
func TestSkinnyReductions(t *testing.T) {
	if testing.Short() {
		t.Skip("large products")
	}
	r := rand.New(level.PCG(9, 4))
	for _, isa := range run.PlainISAs() {
		for _, s := range [][3]int{{1, 1300, 300}, {8, 2050, 200}, {1300, 1, 300}, {3000, 10, 129}, {777, 16, 400}} {
			for way := range 8 {
				m, n, k := s[0], s[1], s[2]
				whole := way&1 == 0
				a, b := layout.New[float32](m, k), layout.New[float32](k, n)
				if way&2 != 0 {
					a = layout.New[float32](k, m).T()
				}
				if way&4 != 0 {
					b = layout.New[float32](n, k).T()
				}
				for _, x := range []layout.Matrix[float32]{a, b} {
					for i := range x.Data {
						x.Data[i] = float32(r.NormFloat64())
						if whole {
							x.Data[i] = float32(r.IntN(5) - 2)
						}
					}
				}
				bias := make([]float32, n)
				type results struct {
					Sum, Squares, Low, Least, Energy []float32
					Last                             []int32
				}
				var first results
				out := layout.New[float32](m, n)
				for _, threads := range []int{1, 2, 3, 7} {
					x := results{make([]float32, m), make([]float32, m), make([]float32, m), make([]float32, n), make([]float32, n), make([]int32, m)}
					opt := run.Options{ISA: isa, Threads: threads}
					MomentsOpt(opt, out, x.Sum, x.Squares, x.Low, x.Least, x.Energy, a, b, bias)
					StatsOpt(opt, out, make([]float32, m), x.Last, make([]float32, n), a, b, bias)
					if threads > 1 {
						if d := cmp.Diff(first, x); d != "" {
							t.Fatalf("%s %v way %d: %d threads: %s", isa, s, way, threads, d)
						}
						continue
					}
					first = x
					if !whole {
						continue
					}
					want := results{make([]float32, m), make([]float32, m), make([]float32, m), make([]float32, n), make([]float32, n), make([]int32, m)}
					for i := range m {
						want.Low[i] = out.At(i, 0)
						for j := range n {
							v := out.At(i, j)
							want.Sum[i], want.Squares[i] = want.Sum[i]+v, want.Squares[i]+v*v
							want.Energy[j] += v * v
							if v < want.Low[i] {
								want.Low[i], want.Last[i] = v, int32(j)
							}
							if i == 0 || v < want.Least[j] {
								want.Least[j] = v
							}
						}
					}
					if d := cmp.Diff(want, x); d != "" {
						t.Fatalf("%s %v way %d: %s", isa, s, way, d)
					}
				}
			}
		}
	}
}
