package simd

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
)

// TestEpilogue: an epilogue alone does as many columns at once as a register holds of the
// widest type in it.
func TestEpilogue(t *testing.T) {
	relu := gemm.Map1(act.ReLU[float32]).Fusion()
	wide := func(any) (emit.Elem, error) { return emit.F64, nil }
	for _, c := range []struct {
		target emit.Target
		widest Widest
		lanes  int
	}{{amd64.AVX2, nil, 8}, {amd64.AVX2, wide, 4}, {amd64.AVX512, nil, 16}, {amd64.AVX512, wide, 8}} {
		f, lanes, err := Epilogue(relu, "relu", c.target, Options{Widest: c.widest})
		if err != nil {
			t.Fatal(err)
		}
		if f.Name != "relu" || lanes != c.lanes {
			t.Errorf("%s has %d lanes on %s, want %d", f.Name, lanes, c.target.Name, c.lanes)
		}
	}
	twice := gemm.Map2(func(x, y float32) float32 { return x + y }, gemm.PerRow[float32]("out")).Fusion()
	if _, _, err := Epilogue(twice, "twice", amd64.AVX2, Options{}); err == nil || !strings.Contains(err.Error(), `: two parameters are called "out"`) {
		t.Errorf("%v", err)
	}
}
