package amd64_test

import (
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/internal/level"
)

// The kernels that are generated for real: no two live values share a register.
func TestAllocationGemm(t *testing.T) {
	targets := slices.DeleteFunc(gemm.CPUTargets(), func(t emit.Target) bool { return t.Arch != "amd64" })
	for _, target := range targets[:level.Of(1, len(targets), len(targets))] {
		for _, spec := range []interface {
			Describe() gemm.Description
		}{gemm.Spec[float32, float32, float32, float32]{Name: "S"}, gemm.Spec[float64, float64, float64, float64]{Name: "D"}} {
			m, err := simd.Lower(spec.Describe(), target, simd.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range m.Funcs {
				if err := amd64.VerifyAllocation(target, f); err != nil {
					t.Errorf("%s: %v", target.Name, err)
				}
			}
		}
	}
}
