package gen

import (
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// sized multiplies by the size of gain, and shifts.
func sized(acc, gain, shift float32) float32 {
	if gain < 0 {
		gain = -gain
	}
	return acc*gain + shift
}

// TestRange: the ranges of operands are in the document of the entry point, in the test, in kernels and in the gradient, of
// products of matrices and of sparse ones; explain prints them.
func TestRange(t *testing.T) {
	targets := emit.Targets{amd64.AVX2} // others would be lowered for nothing
	end := gemm.Map3(sized, gemm.PerColumn[float32]("gain").Within(0.5, 2), gemm.PerRow[float32]("shift").Within(0, float32(math.Inf(1))))
	dense := gemm.Spec[float32, float32, float32, float32]{Name: "Dense", Targets: targets, Epilogue: end}
	o := Options{Package: "ranges", Source: "a test"}
	files, err := Generate(o, dense, dense.Backward(), spec.SpMM[float32]{Name: "Rows", Targets: targets, Epilogue: end})
	if err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	for _, f := range files {
		text[f.Name] = strings.Join(strings.Fields(strings.ReplaceAll(string(f.Data), "\n//", " ")), " ")
	}
	const document = "gain is from 0.5 to 2; results for others are not specified. shift has m elements, one for each row. shift is at least 0; results"
	if n := strings.Count(text["ranges_gen.go"], document); n < 3 {
		t.Errorf("%d documents say of what ranges operands are, want 3", n)
	}
	if n := strings.Count(text["ranges_gen_test.go"], "Type: dtype.F32, Col: true, Low: 0.5, High: 2}"); n != 3 {
		t.Errorf("%d tests have a range, want 3", n)
	}
	if n := strings.Count(text["ranges_gen_test.go"], "Row: true, High: math.Inf(1)}"); n != 3 || !strings.Contains(text["ranges_gen_test.go"], `"math"`) {
		t.Errorf("%d tests have a range with an open side, want 3", n)
	}
	const gradient = "SizedGradFn(acc, gain, _, dy float32) (float32, float32, float32) { return gain * dy, acc * dy, dy }"
	if !strings.Contains(text["ranges_gen.go"], gradient) {
		t.Errorf("the gradient is not %s in\n%s", gradient, text["ranges_gen.go"])
	}
	var b strings.Builder
	if err := (Explanation{Target: "avx2", Pass: "go"}).Print(&b, o, dense); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"range      gain is from 0.5 to 2, says the spec", "range      shift is at least 0, says the spec", "operations 1 a vector: 1 fma\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%.3000s", want, b.String())
		}
	}
}
