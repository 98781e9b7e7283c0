package gen_test

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// TestDerivative writes derivatives of all activations, and of what has none a reason.
func TestDerivative(t *testing.T) {
	for _, c := range []struct {
		of   any
		by   []int
		want []string // in the file
		err  string
	}{
		{act.ReLU[float32], nil, []string{"[T float32 | float64](x, dy T) T", "if x <= 0 {\n\t\treturn 0\n\t}\n\treturn dy", "by x, times dy"}, ""},
		{act.GELU[float32], nil, []string{"\"math\"", "k1 = -20.9"}, ""},
		{act.ELU[float64], nil, []string{"[T float32 | float64](x, alpha, dy T) (T, T)", "by x and alpha"}, ""},
		{act.GELUErf[float64], nil, []string{"math.Erfc"}, ""},
		{act.SiLU[float64], nil, nil, ""}, {act.Mish[float64], nil, nil, ""}, {act.Clamp[float64], []int{0}, nil, ""},
		{act.LeakyReLU[float64], nil, nil, ""}, {act.HardSwish[float64], nil, nil, ""}, {act.HardSigmoid[float64], nil, nil, ""},
		{act.Sigmoid[float64], nil, nil, ""}, {act.Tanh[float64], nil, nil, ""}, {act.Softplus[float64], nil, nil, ""}, {act.DGELU[float64], nil, nil, ""},
		{func(x int32) int32 { return x + 1 }, nil, nil, "no float operand"},
		{act.ReLU[float32], []int{1}, nil, "no operand 1"},
		{nil, nil, nil, "is not a function"},
		{3, nil, nil, "is not a function"},
	} {
		files, err := gen.Generate(gen.Options{Package: "derived", Source: "a test"}, gen.Derivative{Name: "Grad", Of: c.of, By: c.by})
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v, want %q", err, c.err)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if len(files) != 1 || files[0].Name != "derived_gen.go" {
			t.Errorf("%d files", len(files))
		}
		for _, w := range c.want {
			if !strings.Contains(string(files[0].Data), w) {
				t.Errorf("no %q in\n%s", w, files[0].Data)
			}
		}
	}
}

func biasGated(acc, bias, gain float32) float32 { return gain * act.GELU(acc+bias) }

// TestBackward generates the gradients of a product and of an edge function.
func TestBackward(t *testing.T) {
	targets := emit.Targets{amd64.AVX512, amd64.AVX2} // others would be lowered for nothing
	dense := gemm.Spec[float32, float32, float32, float32]{Name: "Dense", Targets: targets,
		Epilogue: gemm.Map3(biasGated, gemm.PerColumn[float32]("bias"), gemm.Full[float32]("gain"))}
	reduced := gemm.Spec[float32, float32, float32, float32]{Name: "Reduced", Targets: targets, Epilogue: gemm.Map1(act.Tanh[float32]).RowLogSumExp("lse").ColSum("total")}
	files, err := gen.Generate(gen.Options{Package: "back", Source: "a test"}, dense.Backward(), reduced.Backward(),
		spec.SDDMM[float32]{Name: "ScoreBack", Targets: targets, Pattern: true, Epilogue: gemm.Map1(act.Tanh[float32]).Backward()})
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		all.Write(f.Data)
	}
	for _, want := range []string{
		"func DenseBack(out, dgain layout.Matrix[float32], dbias []float32, a, b layout.Matrix[float32], bias []float32, gain, dout layout.Matrix[float32])",
		"func denseBackBiasGatedGradFn(acc, bias, gain, dy float32) (float32, float32, float32)",
		"func ReducedBack(out, a, b, dout layout.Matrix[float32], lse, dlse, dtotal []float32)",
		"GradFn(x, dy, yLogSumExp, dyLogSumExp, dySum float32) float32",
		"func ScoreBack(out []float32, s sparse.Matrix[float32], a, b layout.Matrix[float32], dout []float32)",
	} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("nothing like %s", want)
		}
	}
}
