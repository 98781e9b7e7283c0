package dense_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// layouts are x by rows, by columns, and with gaps everywhere.
func layouts[T dtype.Elem](x layout.Matrix[T]) map[string]layout.Matrix[T] {
	turned, gaps := layout.New[T](x.Cols, x.Rows).T(), layout.New[T](2*x.Rows, 2*x.Cols)
	gaps.RowStride, gaps.ColStride, gaps.Rows, gaps.Cols = 2*gaps.RowStride, 2, x.Rows, x.Cols
	for i := range x.Rows {
		for j := range x.Cols {
			turned.Set(i, j, x.At(i, j))
			gaps.Set(i, j, x.At(i, j))
		}
	}
	return map[string]layout.Matrix[T]{"rows": x, "columns": turned, "gaps": gaps}
}

func normal(r *rand.Rand, rows, cols int) layout.Matrix[float32] {
	m := layout.New[float32](rows, cols)
	for i := range m.Data {
		m.Data[i] = float32(r.NormFloat64())
	}
	return m
}

// TestDeepSkinny is the same for dot kernels, whose small operand is copied.
func TestDeepSkinny(t *testing.T) {
	r := rand.New(level.PCG(1, 2))
	const few, many, k = 7, 1500, 1031
	for _, columns := range []bool{false, true} {
		a, b := normal(r, few, k), normal(r, many, k).T()
		if columns {
			a, b = normal(r, many, k), normal(r, few, k).T()
		}
		want := layout.New[float32](a.Rows, b.Cols)
		gemmf.SGEMM(want, a, b)
		little := a
		if columns {
			little = b
		}
		all := layouts(little)
		for how := range all {
			for _, threads := range []int{1, 3} {
				t.Run(fmt.Sprintf("columns=%v/little=%s/threads=%d", columns, how, threads), func(t *testing.T) {
					dense.SetPanelBudget(t, 1<<10)
					x, y := all[how], b
					if columns {
						x, y = a, all[how]
						if how == "columns" { // that is how b lies
							y = all["rows"]
						}
					}
					out := layout.New[float32](a.Rows, b.Cols)
					gemmf.SGEMMOpt(run.Options{Threads: threads}, out, x, y)
					if !slices.Equal(out.Data, want.Data) {
						t.Error("the result is not that of a small operand copied as a whole")
					}
				})
			}
		}
	}
}

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestDeepMemory: what a call allocates does not grow with k. A stride of 0 makes an
// operand of any depth out of one element.
func TestDeepMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("large matrices")
	}
	const k, most = 1 << 24, 40 << 20
	repeat := func(rows, cols int) layout.Matrix[float32] {
		return layout.Matrix[float32]{Data: []float32{1.0 / 1024}, Rows: rows, Cols: cols}
	}
	const sum = k / 1024 / 1024
	for _, isa := range run.PlainISAs() {
		opt := run.Options{ISA: isa, Threads: 2}
		for name, c := range map[string]struct {
			m, n int
			call func(out layout.Matrix[float32])
		}{
			"MatMul": {2, 3, func(out layout.Matrix[float32]) { gemmf.SGEMMOpt(opt, out, repeat(2, k), repeat(k, 3)) }},
			"MatMul, a by columns": {1, 2, func(out layout.Matrix[float32]) {
				gemmf.SGEMMOpt(opt, out, repeat(1, k), repeat(k, 2))
			}},
		} {
			t.Run(name+"/"+isa, func(t *testing.T) {
				out := layout.New[float32](c.m, c.n)
				if n := allocated(func() { c.call(out) }); n > most {
					t.Errorf("%d bytes allocated for k = %d, want at most %d", n, k, most)
				}
				for i, x := range out.Data {
					if x != sum {
						t.Errorf("element %d is %v, want %v", i, x, float32(sum))
					}
				}
			})
		}
	}
}
