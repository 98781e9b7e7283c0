package arm64_test

import (
	"testing"

	"github.com/tilesmith/tilesmith/emit/arm64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
)

// TestAllocationGemm: no two live values share a register in the kernels that are generated
// for real.
func TestAllocationGemm(t *testing.T) {
	for _, spec := range []interface {
		Describe() gemm.Description
	}{gemm.Spec[float32, float32, float32, float32]{Name: "S"}, gemm.Spec[float64, float64, float64, float64]{Name: "D"}} {
		m, err := simd.Lower(spec.Describe(), arm64.NEON, simd.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range m.Funcs {
			if err := arm64.VerifyAllocation(arm64.NEON, f); err != nil {
				t.Error(err)
			}
		}
	}
}
