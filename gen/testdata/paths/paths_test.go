package paths

import (
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// TestSpecialRows has rows without entries, with NaN, and with a stored 0 that meets
// Inf.
func TestSpecialRows(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	a, err := sparse.FromCOO(4, 3, []int{0, 0, 2, 3}, []int{0, 1, 1, 2}, []float32{2, 3, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	b := layout.New[float32](3, 100)
	for k, v := range []float64{5, inf, nan} {
		for j := range 100 {
			b.Set(k, j, float32(v))
		}
	}
	for _, isa := range run.ISAs() {
		out := layout.New[float32](4, 100)
		RelaxOpt(run.Options{ISA: isa}, out, a, b)
		for i, want := range []float64{7, inf, inf, nan} {
			for _, j := range []int{0, 63, 99} {
				if have := float64(out.At(i, j)); have != want && !(math.IsNaN(have) && math.IsNaN(want)) {
					t.Errorf("%s: row %d is %v, want %v", isa, i, have, want)
				}
			}
		}
	}
}

// TestRefused: a semiring has neither alpha nor beta.
func TestRefused(t *testing.T) {
	a, err := sparse.FromCOO(6, 5, []int{0}, []int{1}, []float32{2})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		const why = "alpha and beta belong to sums"
		if e, ok := recover().(error); !ok || !strings.Contains(e.Error(), why) {
			t.Errorf("panic with %v, want an error with %q", e, why)
		}
	}()
	RelaxOpt(run.Options{Scaling: run.Scale(2, 0)}, layout.New[float32](6, 9), a, layout.New[float32](5, 9))
}
