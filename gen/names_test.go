package gen

import (
	"go/build"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling"

	"github.com/tilesmith/tilesmith/emit/unit"
)

type f32Spec = gemm.Spec[float32, float32, float32, float32]

// onAMD64 are the targets of specs in tests that are not about targets: others would be lowered for nothing.
var onAMD64 = emit.Targets{amd64.AVX512, amd64.AVX2}

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
		{"Größe", "ASCII"}, {"Кот", "ASCII"}, {"Ⅷ", "gen: spec name"},
		{"run", "means something else"}, {"init", "means something else"}, {"float32", "means something else"},
		// No file is called after a kernel alone, so these are names as others.
		{"DenseTest", ""}, {"DenseWindows", ""}, {"GemmARM64", ""}, {"MatMulWasm", ""}, {"Dense386", ""}, {"Con", ""}, {"NUL", ""}, {"Lpt1", ""},
	} {
		_, err := Generate(Options{Package: "p", Source: "spec.go"}, f32Spec{Name: x.name, Targets: []emit.Target{amd64.AVX2}, Tile: tiling.Micro{MR: 1, NV: 1}})
		if x.why == "" {
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
	two := func(a, b string) []Spec {
		return []Spec{f32Spec{Name: a, Tile: tiling.Micro{MR: 1, NV: 1}, Targets: onAMD64}, f32Spec{Name: b, Tile: tiling.Micro{MR: 1, NV: 1}, Targets: onAMD64}}
	}
	for _, x := range []struct {
		specs []Spec
		why   string
	}{
		{two("Dense", "Dense"), "the same file"}, {two("DenseGELU", "DenseGelu"), "the same file"},
		{two("Dense", "DenseOpt"), "both declare DenseOpt"}, {two("Dense", "denseSet"), "both declare denseSet"},
		{[]Spec{f32Spec{Name: "Dense", Targets: GPU, GPU: groupTile}, f32Spec{Name: "DenseKernels", Targets: GPU, GPU: groupTile}}, "both declare DenseKernels"},
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

// TestConstraints wants go/build to take the files of a set everywhere, or for their architecture,
// whatever they are called after: a spec file may be called after a system.
func TestConstraints(t *testing.T) {
	out, err := exec.Command("go", "tool", "dist", "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	words := strings.FieldsFunc(string(out), func(r rune) bool { return r == '/' || r == '\n' })
	if len(words) < 40 {
		t.Errorf("there are the systems and architectures %q only", words)
	}
	for _, word := range append(words, "test", "con", "nul") {
		for _, source := range []string{word + "_spec.go", "x_" + word + ".go", "tilesmith gen gemm --name X" + unit.Upper(word)} {
			set := setName(source, "p")
			for end, arch := range map[string]string{portableEnd: "", otherEnd: "", asmEnd("amd64"): "amd64", stubsEnd("amd64"): "amd64"} {
				for _, goarch := range []string{"none", "amd64"} {
					ctx := build.Context{GOOS: "none", GOARCH: goarch, Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) {
						return io.NopCloser(strings.NewReader("package p\n")), nil
					}}
					ok, err := ctx.MatchFile("", set+end)
					if err != nil {
						t.Fatal(err)
					}
					if want := arch == "" || arch == goarch; ok != want || strings.HasSuffix(set+end, "_test.go") {
						t.Errorf("%s for %s: go/build takes it: %v, want %v", set+end, goarch, ok, want)
					}
				}
			}
		}
	}
}

// TestDeterministic generates twice and compares byte for byte. In another order the files are the
// same, with the specs in that order.
func TestDeterministic(t *testing.T) {
	specs := []Spec{f32Spec{Name: "B"}, gemm.Spec[float64, float64, float64, float64]{Name: "A"}}
	first, err := Generate(Options{Package: "p", Source: "spec.go"}, specs...)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Generate(Options{Package: "p", Source: "spec.go"}, specs...)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(first, second, func(a, b File) bool { return a.Name == b.Name && string(a.Data) == string(b.Data) }) {
		t.Error("the same specs give other files")
	}
	slices.Reverse(specs)
	third, err := Generate(Options{Package: "p", Source: "spec.go"}, specs...)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range third {
		a, b := strings.Index(string(f.Data), specMark+"A."), strings.Index(string(f.Data), specMark+"B.")
		if f.Name != first[i].Name || a < 0 || a > b || len(f.Data) != len(first[i].Data) {
			t.Errorf("%s, after %s: A is at %d, B at %d; want the order of the specs, and all else the same", f.Name, first[i].Name, a, b)
		}
	}
	for _, f := range first {
		if !strings.HasPrefix(string(f.Data), "// "+Header("spec.go")+"\n") || !strings.HasPrefix(string(f.Data), mark) {
			t.Errorf("%s begins without the header", f.Name)
		}
	}
}
