package fused

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/budget"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// layouts are x by rows, by columns, and with gaps everywhere.
func layouts(x layout.Matrix[float32]) []layout.Matrix[float32] {
	turned, gaps := layout.New[float32](x.Cols, x.Rows).T(), layout.New[float32](2*x.Rows, 2*x.Cols)
	gaps.RowStride, gaps.ColStride, gaps.Rows, gaps.Cols = 2*gaps.RowStride, 2, x.Rows, x.Cols
	for i := range x.Rows {
		for j := range x.Cols {
			turned.Set(i, j, x.At(i, j))
			gaps.Set(i, j, x.At(i, j))
		}
	}
	return []layout.Matrix[float32]{x, turned, gaps}
}

// TestDeepFused: where k is so long that nothing is packed over all of it, a fused
// product has the bits it has otherwise, however its operands lie, and for any number of threads.
func TestDeepFused(t *testing.T) {
	if testing.Short() {
		t.Skip("large matrices")
	}
	r := rand.New(level.PCG(1, 2))
	const m, n, k = 61, 251, 3001
	random := func(rows, cols int) layout.Matrix[float32] {
		x := layout.New[float32](rows, cols)
		for i := range x.Data {
			x.Data[i] = r.Float32() - .5
		}
		return x
	}
	a, b, bias := random(m, k), random(k, n), random(1, n).Data
	as, bs := layouts(a), layouts(b)
	for _, isa := range run.PlainISAs() {
		want := layout.New[float32](m, n)
		DenseGELUOpt(run.Options{ISA: isa}, want, a, b, bias)
		for _, c := range level.Pick(18, 0, map[bool]int{true: 6, false: 18}[isa == "go"]) {
			lies, how, threads := c/6, c/2%3, []int{1, 3}[(c+c/6)%2]
			t.Run(fmt.Sprintf("isa=%s/a=%d/b=%d/threads=%d", isa, how, lies, threads), func(t *testing.T) {
				t.Cleanup(budget.Shrink(64 << 10))
				out := layout.New[float32](m, n)
				DenseGELUOpt(run.Options{ISA: isa, Threads: threads}, out, as[how], bs[lies], bias)
				if !slices.Equal(out.Data, want.Data) {
					t.Error("the result is not that of a product packed as a whole")
				}
			})
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
	half := func(rows, cols int) layout.Matrix[dtype.F16] {
		return layout.Matrix[dtype.F16]{Data: []dtype.F16{dtype.ToF16(1.0 / 1024)}, Rows: rows, Cols: cols}
	}
	const sum = k / 1024 / 1024
	for _, isa := range run.PlainISAs() {
		opt := run.Options{ISA: isa, Threads: 2}
		for name, c := range map[string]struct {
			m, n int
			call func(out layout.Matrix[float32])
		}{
			"DenseGELU": {2, 3, func(out layout.Matrix[float32]) {
				DenseGELUOpt(opt, out, repeat(2, k), repeat(k, 3), make([]float32, 3))
			}},
			"MatMulF16": {1, 2, func(out layout.Matrix[float32]) { MatMulF16Opt(opt, out, half(1, k), half(k, 2)) }},
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
