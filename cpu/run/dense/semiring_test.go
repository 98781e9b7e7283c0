package dense

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

// TestSemiringPortable: without kernels, products of several shapes, strides and numbers of
// threads are loops over k in its order, also in a batch; of nothing they are Zero, and
// alpha and beta are refused. What kernels do, the tests of generated packages check.
func TestSemiringPortable(t *testing.T) {
	s := &Set[float64]{Name: "Far", Semiring: semiring.MaxPlus[float64]}
	rng := rand.New(level.PCG(5, 6))
	number := func() float64 {
		if rng.IntN(500) == 0 {
			return math.NaN()
		}
		return rng.NormFloat64()
	}
	fill := func(m layout.Matrix[float64]) layout.Matrix[float64] {
		for i := range m.Data {
			m.Data[i] = number()
		}
		return m
	}
	compare := func(what string, out, a, b layout.Matrix[float64]) {
		t.Helper()
		for i := range out.Rows {
			for j := range out.Cols {
				want := math.Inf(-1)
				for k := range a.Cols {
					want = max(want, a.At(i, k)+b.At(k, j))
				}
				if have := out.At(i, j); have != want && (have == have || want == want) {
					t.Fatalf("%s, %d x %d x %d: (%d, %d) is %v, want %v", what, out.Rows, out.Cols, a.Cols, i, j, have, want)
				}
			}
		}
	}
	for _, x := range []struct{ m, n, k int }{{1, 1, 0}, {3, 4, 0}, {1, 1, 1}, {5, 7, 3}, {130, 20, 70}, {9, 1200, 31}, {300, 2, 400}} {
		for _, threads := range []int{1, 3} {
			a, b, out := fill(layout.New[float64](x.m, x.k)), fill(layout.New[float64](x.n, x.k)).T(), fill(layout.New[float64](x.n, x.m)).T()
			s.Gemm(run.Options{Threads: threads, ISA: run.Portable}, out, a, b) // TILESMITH_ISA may ask for another
			compare("a product", out, a, b)
		}
	}
	const count = 4
	a, b, out := fill(layout.New[float64](count*6, 5)), fill(layout.New[float64](5, 8)), layout.New[float64](count*6, 8)
	part := func(m layout.Matrix[float64], z int) layout.Matrix[float64] { return m.Slice(6*z, 6*z+6, 0, m.Cols) }
	o, x := part(out, 0), part(a, 0)
	o.Data, x.Data = out.Data, a.Data
	Batched(Call[float64]{Set: s}, Batch{Count: count, Out: 48, A: 30}, &run.Options{ISA: run.Portable}, &o, &x, &b)
	for z := range count {
		compare("a batch", part(out, z), part(a, z), b)
	}
	for what, call := range map[string]func(){
		"Gemm": func() { s.Gemm(run.Options{ISA: run.Portable, Scaling: run.Scale(2, 0)}, out, a, b) },
		"Batched": func() {
			Batched(Call[float64]{Set: s}, Batch{Count: 1}, &run.Options{ISA: run.Portable, Scaling: run.Scale(2, 0)}, &out, &a, &b)
		},
	} {
		func() {
			defer func() {
				if e, ok := recover().(run.OptionError); !ok || e.What != "Far" {
					t.Errorf("%s takes alpha: %v", what, e)
				}
			}()
			call()
		}()
	}
}
