package gen

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling"
)

var groupTile = tiling.GPU{BM: 32, BN: 64, BK: 32, WM: 32, WN: 32, Stages: 3}

// TestGroupFiles: what is written for groups of products on GPUs.
func TestGroupFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("many kernels")
	}
	bias := gemm.Map2(func(acc, bias float32) float32 { return acc + bias }, gemm.PerColumn[float32]("bias"))
	for _, c := range []struct {
		spec Spec
		want []string
	}{
		{f32Spec{Name: "X", Targets: GPU, GPU: groupTile, Grouped: true}, []string{
			"type XProblem struct {\n\tOut, A, B cuda.Matrix[float32]\n\tScaling   run.Scaling // ",
			"func XGrouped(stream cuda.Stream, opt run.Options, problems []XProblem) error {\n",
			"opt.Scaling = p.Scaling\n\t\treturn XOpt(stream, opt, p.Out, p.A, p.B)\n", ", Grouped: true}",
		}},
		{bf16Spec{Name: "X", Targets: GPU, GPU: groupTile}, nil},
	} {
		files, err := Generate(Options{Package: "p", Source: "spec.go"}, c.spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if f.Name != "gpu/p_gen.go" {
				continue
			}
			if c.want == nil && strings.Contains(string(f.Data), "Group") {
				t.Error("a spec that is not Grouped has something about groups")
			}
			for _, w := range c.want {
				if !strings.Contains(string(f.Data), w) {
					t.Errorf("gpu/p_gen.go lacks %q:\n%s", w, f.Data)
				}
			}
		}
	}
	for _, c := range []struct {
		epilogue gemm.Ending[float32]
		want     string
	}{
		{bias.RowSum("sums"), "reduction sums would have partial results for each product"},
		{gemm.Map2(func(acc, bias float32) float32 { return acc + bias }, gemm.PerColumn[float32]("_bias")), "operand _bias: a group's problems have a field"},
		{gemm.Map3(func(acc, x, y float32) float32 { return acc + x + y }, gemm.PerColumn[float32]("bias"), gemm.PerRow[float32]("Bias")), "operands bias and Bias are one field"},
	} {
		_, err := Generate(Options{Package: "p", Source: "spec.go"}, f32Spec{Name: "X", Targets: GPU, GPU: groupTile, Grouped: true, Epilogue: c.epilogue})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want an error with %q", err, c.want)
		}
	}
}

// TestGroupFilesCPU: the same on CPUs, where reductions may be of groups.
func TestGroupFilesCPU(t *testing.T) {
	if testing.Short() {
		t.Skip("many kernels")
	}
	for _, c := range []struct {
		spec Spec
		want []string
		err  string
	}{
		{f32Spec{Name: "X", Grouped: true, Tile: tiling.Micro{MR: 1, NV: 1}}, []string{"type XProblem struct {\n\tOut, A, B layout.Matrix[float32]\n\tScaling   run.Scaling // ",
			"func XGrouped(opt run.Options, problems []XProblem) {\n", "opt.Scaling = p.Scaling\n\t\tdense.Gemm(dense.Call[float32]{Set: &xSet, Group: g}, &opt, &p.Out, &p.A, &p.B)\n"}, ""},
		{f32Spec{Name: "X", Grouped: true, Operator: gemm.MaxPlus, Tile: tiling.Micro{MR: 1, NV: 1}}, []string{"Out, A, B layout.Matrix[float32]\n}"}, ""},
		{f32Spec{Name: "X", Grouped: true, Shape: gemm.Shape{M: 4, N: 4, K: 4}}, nil, "Shape is 4 x 4 x 4; leave one of the two out"},
	} {
		files, err := Generate(Options{Package: "p", Source: "spec.go"}, c.spec)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v, want an error with %q", err, c.err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			for _, w := range c.want {
				if f.Name == "p_gen.go" && !strings.Contains(string(f.Data), w) {
					t.Errorf("x.go lacks %q:\n%s", w, f.Data)
				}
			}
		}
	}
}
