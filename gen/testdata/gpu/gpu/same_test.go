package gpu_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/shop/products/gpu"

	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/verify/gpu/kernels"
)

// TestSame: what `tilesmith gpu` checks and times is what is generated.
func TestSame(t *testing.T) {
	want := []*run.Set{gpu.MatMulBF16Kernels(), gpu.MatMulF16Kernels(), gpu.MatMulF32Kernels(), gpu.DenseGELUKernels(), gpu.LongestPathKernels()}
	for i, have := range kernels.All() {
		if !reflect.DeepEqual(fields(have), fields(want[i])) {
			t.Errorf("the kernels of %s and %s differ", have.Name, want[i].Name)
		}
	}
}

// fields are those of the literal, the PTX without the generated file's header.
func fields(s *run.Set) []any {
	targets := slices.Clone(s.Targets)
	for i := range targets {
		targets[i].PTX = targets[i].PTX[strings.Index(targets[i].PTX, ".version"):]
	}
	return []any{s.Name, s.A, s.B, s.Slots, targets, s.Plain, s.Work}
}
