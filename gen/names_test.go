package gen

import (
	"go/build"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"

	"github.com/tilesmith/tilesmith/gen/unit"
)

type f32Spec = gemm.Spec[float32, float32, float32, float32]

func TestSnake(t *testing.T) {
	for name, want := range map[string]string{
		"SGEMM": "sgemm", "DenseGELU": "dense_gelu", "MatMulBF16": "mat_mul_bf16", "X": "x", "aB": "a_b",
		"GELUDense": "gelu_dense", "demo": "demo", "MatMul2x2": "mat_mul2x2", "DenseI8": "dense_i8",
	} {
		if have := unit.Snake(name); have != want {
			t.Errorf("unit.Snake(%q) = %q, want %q", name, have, want)
		}
	}
}

// TestNamesRefused wants a sentence for every name that would give files or code
// that do not work.
func TestNamesRefused(t *testing.T) {
	for _, x := range []struct{ name, why string }{
		{"", "not a Go identifier"}, {"9x", "not a Go identifier"}, {"../x", "not a Go identifier"},
		{"a/b", "not a Go identifier"}, {"a b", "not a Go identifier"}, {"x.go", "not a Go identifier"},
		{"func", "not a Go identifier"}, {"type", "not a Go identifier"}, {"_", "not a Go identifier"},
		{"x\n", "not a Go identifier"}, {"x\x00", "not a Go identifier"},
		{"Dense_arm", "underscore"}, {"Dense_", "underscore"}, {"_x", "underscore"}, {"a_b", "underscore"},
		{"Größe", "ASCII"}, {"Кот", "ASCII"}, {"Ⅷ", ""},
		{"run", "means something else"}, {"init", "means something else"}, {"float32", "means something else"},
		{"DenseTest", "test only"}, {"DenseWindows", "windows only"}, {"GemmARM64", "arm64 only"}, {"MatMulWasm", "wasm only"}, {"Dense386", ""},
		{"Con", "a device on Windows"}, {"NUL", "a device on Windows"}, {"Lpt1", "a device on Windows"},
	} {
		_, err := Generate(Options{Package: "p", Source: "spec.go"}, f32Spec{Name: x.name})
		if x.name == "Dense386" { // dense386.go: no underscore, no constraint
			if err != nil {
				t.Errorf("%q is refused: %v", x.name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), x.why) {
			t.Errorf("%q: %v, want an error with %q", x.name, err, x.why)
		}
	}
}

func TestClashes(t *testing.T) {
	two := func(a, b string) []Spec { return []Spec{f32Spec{Name: a}, f32Spec{Name: b}} }
	for _, x := range []struct {
		specs []Spec
		why   string
	}{
		{two("Dense", "Dense"), "the same file"}, {two("DenseGELU", "DenseGelu"), "the same file"},
		{two("Dense", "DenseOpt"), "both declare DenseOpt"}, {two("Dense", "denseSet"), "both declare denseSet"},
		{two("Dense", "DenseNoasm"), "dense_noasm.go"},
		{[]Spec{f32Spec{Name: "Dense", Targets: GPU}, f32Spec{Name: "DenseKernels", Targets: GPU}}, "both declare DenseKernels"},
		{[]Spec{nil}, "spec 1 is nil"},
		{[]Spec{f32Spec{Name: "X", Targets: []emit.Target{}}}, "no targets"},
		{[]Spec{f32Spec{Name: "X", Targets: append(gemm.CPUTargets(), gemm.CPUTargets()[0])}}, "listed twice"},
		{[]Spec{f32Spec{Name: "X", Targets: []emit.Target{{Name: "z", Arch: "s390", Bits: 128, Regs: 32}}}}, "no backend for s390"},
		{[]Spec{gemm.Spec[float32, float64, float32, float32]{Name: "X"}}, "operands may be f32"},
	} {
		_, err := Generate(Options{Package: "p", Source: "spec.go"}, x.specs...)
		if err == nil || !strings.Contains(err.Error(), x.why) {
			t.Errorf("%v, want an error with %q", err, x.why)
		}
	}
	for _, o := range []Options{{}, {Package: "a-b"}, {Package: "func"}, {Package: "p", Source: "a\nb.go"}} {
		if _, err := Generate(o, f32Spec{Name: "X"}); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// TestConstraints holds the list of words against go/build, which knows which file
// names it leaves out.
func TestConstraints(t *testing.T) {
	out, err := exec.Command("go", "tool", "dist", "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.FieldsFunc(string(out), func(r rune) bool { return r == '/' || r == '\n' }) {
		if !slices.Contains(constraints, word) {
			t.Errorf("%s is a system or architecture and is not in the list", word)
		}
	}
	ctx := build.Context{GOOS: "none", GOARCH: "none", Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package p\n")), nil
	}}
	for _, word := range append(slices.Clone(constraints), "gelu", "noasm", "avx512") {
		if word == "test" {
			continue // a test file matches; it is left out elsewhere
		}
		ok, err := ctx.MatchFile("", "x_"+word+".go")
		if err != nil {
			t.Fatal(err)
		}
		if ok == slices.Contains(constraints, word) {
			t.Errorf("x_%s.go: go/build takes it everywhere: %v; in the list: %v", word, ok, !ok)
		}
	}
}

// TestDeterministic generates twice and compares byte for byte.
func TestDeterministic(t *testing.T) {
	specs := []Spec{f32Spec{Name: "B"}, gemm.Spec[float64, float64, float64, float64]{Name: "A"}}
	first, err := Generate(Options{Package: "p", Source: "spec.go"}, specs...)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(specs)
	second, err := Generate(Options{Package: "p", Source: "spec.go"}, specs...)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(first, second, func(a, b File) bool { return a.Name == b.Name && string(a.Data) == string(b.Data) }) {
		t.Error("the same specs in another order give other files")
	}
	for _, f := range first {
		if !strings.HasPrefix(string(f.Data), "// "+Header("spec.go")+"\n") || !strings.HasPrefix(string(f.Data), mark) {
			t.Errorf("%s begins without the header", f.Name)
		}
	}
}
