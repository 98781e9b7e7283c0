package gen

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
)

// fileOf returns the text of one generated file.
func fileOf(t *testing.T, files []File, name string) string {
	t.Helper()
	for _, f := range files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	t.Fatalf("there is no %s", name)
	return ""
}

// A shape that is known gives direct calls, whose lengths are the compiler's business;
// one that is not, or needs a conversion or an epilogue, does not.
func TestFixedCalls(t *testing.T) {
	for _, c := range []struct {
		spec Spec
		want []string // the signatures of direct calls
	}{
		{f32Spec{Name: "Mul", Shape: gemm.Shape{M: 6, N: 32, K: 10}}, []string{
			"MulArrays(out *[192]float32, a *[60]float32, b *[320]float32)", "MulBatch(out, a, b []float32, count int)",
			"MulBatchOpt(opt run.Options, batch dense.Batch, out, a, b []float32)",
		}},
		{f32Spec{Name: "Mul", Targets: onAMD64, Shape: gemm.Shape{N: 32, K: 10}}, nil},
		{f32Spec{Name: "Mul", Targets: onAMD64, Shape: gemm.Shape{M: 500, N: 500, K: 500}}, []string{ // too long for one call into assembly
			"MulArrays(out, a, b *[250000]float32)",
		}},
	} {
		files, err := Generate(Options{Package: "p", Source: "spec.go"}, c.spec)
		if err != nil {
			t.Fatal(err)
		}
		var have []string
		for line := range strings.Lines(fileOf(t, files, "p_gen.go")) {
			sig, _, _ := strings.Cut(line, " {")
			name, args, _ := strings.Cut(strings.TrimPrefix(sig, "func "), "(")
			if name == "MulArrays" || name == "MulBatch" || name == "MulBatchOpt" {
				have = append(have, name+"("+args)
			}
		}
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%v (-want +have):\n%s", c.spec, diff)
		}
	}
}

// Names of direct calls clash like others, and a shape is not for GPUs.
func TestFixedRefused(t *testing.T) {
	mul := f32Spec{Name: "Mul", Targets: onAMD64, Shape: gemm.Shape{M: 2, N: 2, K: 2}}
	for _, c := range []struct {
		specs []Spec
		want  string
	}{
		{[]Spec{mul, f32Spec{Name: "MulArrays", Targets: onAMD64}}, `gen: specs "Mul" and "MulArrays" both declare MulArrays; rename one`},
		{[]Spec{mul, f32Spec{Name: "MulBatch", Targets: onAMD64}}, `gen: specs "Mul" and "MulBatch" both declare MulBatch; rename one`},
		{[]Spec{f32Spec{Name: "Mul", Shape: gemm.Shape{N: 8}, Targets: []emit.Target{ptx.SM80}}},
			"gemm: Mul: Shape is for CPUs: kernels for sm_80 take any shape; leave it out, or list CPU targets"},
		{[]Spec{f32Spec{Name: "Mul", Shape: gemm.Shape{M: -1}}}, "gemm: Mul: the shape -1 x 0 x 0 has a negative dimension; 0 leaves one to the run time"},
	} {
		if _, err := Generate(Options{Package: "p", Source: "spec.go"}, c.specs...); err == nil || err.Error() != c.want {
			t.Errorf("have %v\nwant %s", err, c.want)
		}
	}
}
