package gen

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse/spec"
	"github.com/tilesmith/tilesmith/tiling"
)

// TestExplainSemiring prints what a step costs, and the price of NaN.
func TestExplainSemiring(t *testing.T) {
	if testing.Short() {
		t.Skip("explains in a program of its own")
	}
	specs := []Spec{
		f32Spec{Name: "Far", Operator: gemm.Over(semiring.MaxPlus[float32]()), Tile: level.Of(tiling.Micro{}, tiling.Micro{MR: 2, NV: 1}, tiling.Micro{})},
		spec.SpMM[float32]{Name: "Far", Reduce: semiring.MaxPlus[float32]()},
	}
	for _, s := range specs {
		var b strings.Builder
		if err := (Explanation{Target: "avx512"}).Print(&b, Options{Package: "p", Source: "a test", Dir: "."}, s); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"a step of maxplus is 7 vector operations, 6 of them Plus", "Plus is Go's max, through which NaN spreads: 6 operations", " KB of assembly: avx512 "} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%T: %q is missing:\n%s", s, want, b.String())
			}
		}
	}
}
