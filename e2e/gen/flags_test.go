package gen_test

import (
	"errors"
	"fmt"
	"os/exec"
	"path"
	"strings"
	"testing"
)

const (
	flagsLayers = `// Package layers has functions.
package layers

import (
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/layout/quant"
)

// Stretch is a layer's end with a floor.
func Stretch(acc, bias int32, scale float32) int8 {
	return max(quant.RequantiseBias[int8](acc, bias, scale, 5), -100)
}

// Lift is one without zero points.
func Lift(acc int32, scale float32) uint8 { return quant.Requantise[uint8](acc, scale, 128) }

// Swish is bias, then SiLU.
func Swish(acc, bias float32) float32 { return act.SiLU(acc + bias) }

// Mixed takes and returns several.
func Mixed(acc, scale float32, res int8, alpha float32) (out int8, pre float32) {
	pre = alpha*acc*scale + float32(res)
	return int8(max(-128, min(127, pre))), pre
}

// Capture has the wrong form: an effect.
func Capture(x float32) float32 { calls++; return x }

var calls int
`
	flagsSpec = `//go:build ignore

package main

import (
	"example.com/shop/layers"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

func main() {
	gen.Main(
%s	)
}

var (
	_ dtype.F16
	_ = []emit.Target{amd64.AVX2, ptx.SM80}
	_ = act.GELU[float32]
	_ = layers.Swish
)
`
	// flagsTest multiplies by plain loops.
	flagsTest = `package dense

import (
	"testing"

	"example.com/shop/layers"

	"github.com/tilesmith/tilesmith/layout"
)

func TestByHand(t *testing.T) {
	const m, n, k, za, zb = 9, 70, 45, 130, -3
	a, b, out := layout.New[uint8](m, k), layout.New[int8](k, n), layout.New[int8](m, n)
	for i := range a.Data {
		a.Data[i] = uint8(i * i * 41)
	}
	for i := range b.Data {
		b.Data[i] = int8(i * i * 23)
	}
	bias, scale := make([]int32, n), make([]float32, m)
	for j := range bias {
		bias[j] = int32(j*977 - 20000)
	}
	for i := range scale {
		scale[i] = 1 / float32(100+300*i)
	}
	Stretched(out, a, b, za, zb, bias, scale)
	floor := 0
	for i := range m {
		for j := range n {
			sum := int32(0)
			for p := range k {
				sum += (int32(a.At(i, p)) - za) * (int32(b.At(p, j)) - zb)
			}
			want := layers.Stretch(sum, bias[j], scale[i])
			if out.At(i, j) != want {
				t.Fatalf("(%d, %d) is %d, want %d of the sum %d", i, j, out.At(i, j), want, sum)
			}
			if want == -100 {
				floor++
			}
		}
	}
	if floor == 0 || floor == m*n {
		t.Errorf("%d of %d elements are at the floor", floor, m*n)
	}
}
`
)

// flagsSpecs are the specs that flags of TestFlags describe.
var flagsSpecs = map[string]string{
	"Activated": `gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "Activated", Epilogue: gemm.Map1(act.GELU[float32]), Targets: []emit.Target{amd64.AVX2}}`,
	"Stretched": `gemm.Spec[uint8, int8, int32, int8]{Name: "Stretched", Epilogue: gemm.Map3(layers.Stretch,
			gemm.PerColumn[int32]("bias"), gemm.PerRow[float32]("scale")).ZeroPoints("az", "bz")}`,
	"Lifted": `gemm.Spec[int8, int8, int32, uint8]{Name: "Lifted", Epilogue: gemm.Map2(layers.Lift, gemm.Scalar[float32]("scale")),
			Targets: []emit.Target{amd64.AVX512, amd64.AVX2}}`,
	"Summed": `gemm.Spec[int8, int8, int32, int32]{Name: "Summed"}`,
	"Experts": `gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "Experts", Grouped: true, Targets: []emit.Target{ptx.SM80, amd64.AVX2},
			Epilogue: gemm.Map2(layers.Swish, gemm.PerColumn[float32]("bias"))}`,
	"Groups": `gemm.Spec[float64, float64, float64, float64]{Name: "Groups", Grouped: true}`,
	"Plain":  `gemm.Spec[float64, float64, float64, float64]{Name: "Plain"}`,
	"Narrow": `gemm.Spec[dtype.BF16, dtype.F16, float32, dtype.BF16]{Name: "Narrow"}`,
	"Swish":  `gemm.Spec[float32, float32, float32, float32]{Name: "Swish", Epilogue: gemm.Map2(layers.Swish, gemm.PerColumn[float32]("bias"))}`,
	"Graded": `gemm.Spec[float32, float32, float32, float32]{Name: "Graded", Epilogue: gemm.Map2(layers.Swish, gemm.PerColumn[float32]("bias").Within(-1, 1))},
		gemm.Spec[float32, float32, float32, float32]{Name: "Graded", Epilogue: gemm.Map2(layers.Swish, gemm.PerColumn[float32]("bias").Within(-1, 1))}.Backward()`,
	"Mixed": `gemm.Spec[dtype.F16, float32, float32, int8]{Name: "Mixed", Epilogue: gemm.Fuse[float32, int8](layers.Mixed,
			[]gemm.Output{gemm.Also[float32]("pre")}, gemm.PerRow[float32]("scale").In(), gemm.Full[int8]("res").In(), gemm.Scalar[float32]("alpha").In())}`,
}

// TestFlags makes the same kernels from a spec and from command lines, and compares
// the files below their first lines, which say which of the two it was. One of quantised
// operands gives what a plain loop does.
func TestFlags(t *testing.T) {
	cases := some(2, []struct{ name, flags, line string }{
		{"Stretched", "--types u8,i8,i32,i8 --epilogue layers.Stretch --operands bias=percolumn,scale=perrow:f32 --zeros b=bz,a=az",
			"--types u8,i8,i32,i8 --epilogue layers.Stretch --operands bias=percolumn:i32,scale=perrow:f32 --zeros a=az,b=bz --targets amxint8,avx512vnni,avx512,avxvnni,avx2,neoni8mm,neondot,neon"},
		{"Activated", "--types bf16,bf16,f32,bf16 --epilogue act.GELU --targets avx2", "--types bf16,bf16,f32,bf16 --epilogue act.GELU --targets avx2"},
		{"Graded", "--epilogue layers.Swish --operands bias=percolumn:f32:-1.0..1 --backward",
			"--types f32,f32,f32,f32 --epilogue layers.Swish --operands bias=percolumn:f32:-1..1 --backward --targets avx512,avx2,neon"},
		{"Lifted", "--types i8,i8,i32,u8 --epilogue layers.Lift --operands scale=scalar:f32 --targets avx2,avx512",
			"--types i8,i8,i32,u8 --epilogue layers.Lift --operands scale=scalar:f32 --targets avx512,avx2"},
		{"Summed", "--types int8,i8,int32,i32", "--types i8,i8,i32,i32 --targets amxint8,avx512vnni,avx512,avxvnni,avx2,neoni8mm,neondot,neon"},
		{"Mixed", "--types f16,f32,f32,int8 --epilogue example.com/shop/layers.Mixed --also pre:f32 --operands scale=perrow:f32,res=full:int8,alpha=scalar",
			"--types f16,f32,f32,i8 --epilogue example.com/shop/layers.Mixed --operands scale=perrow:f32,res=full:i8,alpha=scalar:f32 --also pre:f32 --targets avx512,avx2,neon"},
		{"Experts", "--types bf16,bf16,f32,f32 --epilogue layers.Swish --operands bias=percolumn --grouped --targets avx2,sm_80",
			"--types bf16,bf16,f32,f32 --epilogue layers.Swish --operands bias=percolumn:f32 --grouped --targets avx2,sm_80"},
		{"Groups", "--types f64,f64,f64,f64 --grouped", "--types f64,f64,f64,f64 --grouped --targets avx512,avx2,neon"},
		{"Plain", "--types f64,f64,f64,f64", "--types f64,f64,f64,f64 --targets avx512,avx2,neon"},
		{"Narrow", "--types bf16,f16,f32,dtype.BF16", "--types bf16,f16,f32,bf16 --targets avx512,avx2,neon"},
		{"Swish", "--epilogue layers.Swish --operands bias=percolumn --targets neon,avx2,avx512",
			"--types f32,f32,f32,f32 --epilogue layers.Swish --operands bias=percolumn:f32 --targets avx512,avx2,neon"},
	})
	files, run := map[string]string{"layers/layers.go": flagsLayers, "spec/doc.go": "// Package dense has kernels.\npackage dense\n"}, []string{"run"}
	for _, x := range cases { // a spec file each, since that of a command line is one
		file := strings.ToLower(x.name) + "_spec.go"
		files["spec/"+file] = fmt.Sprintf(flagsSpec, "\t\t"+flagsSpecs[x.name]+",\n")
		run = append(run, file)
	}
	s := newScratch(t, files)
	s.makes("spec", run...)
	want := map[string]string{}
	for name, text := range s.generated(true) {
		_, want[strings.TrimPrefix(name, "spec/")], _ = strings.Cut(text, "\n")
	}
	have := map[string]string{}
	for _, x := range cases {
		args := append([]string{"gen", "gemm", "--name", x.name, "--package", "dense", "--out", "made/by/flags"}, strings.Fields(x.flags)...)
		s.makes(".", args...)
		if x.name == "Mixed" {
			s.makes(".", append(args, "--check")...)
		}
		for name, text := range s.generated(false) {
			head, rest, _ := strings.Cut(text, "\n")
			if strings.HasPrefix(path.Base(name), strings.ToLower(x.name)) && head != generatedMark+"tilesmith gen gemm --name "+x.name+" "+x.line+"; DO NOT EDIT." {
				t.Errorf("%s begins with %s", name, head)
			}
			have[strings.TrimPrefix(name, "made/by/flags/")] = rest
		}
	}
	sameFiles(t, "from flags", have, want)
	s.put("made/by/flags/stretched_loop_test.go", flagsTest)
	s.goes("vet", "./...")
	if out := s.goes("test", "-v", "-run", "^TestByHand$", "./made/by/flags"); !strings.Contains(out, "--- PASS: TestByHand ") {
		t.Errorf("the test did not run:\n%s", out)
	}
}

// TestFlagsRefused wants one sentence that says what would be right, the exit code,
// and nothing left behind.
func TestFlagsRefused(t *testing.T) {
	s := newScratch(t, map[string]string{"layers/layers.go": flagsLayers,
		"two/layers/a.go": "package layers\n", "other/act/a.go": "// Package act is not tilesmith's.\npackage act\n"})
	s.env = append(s.env, "GOPROXY=off") // nobody is asked for a package that is nowhere
	for _, x := range some(13, []struct {
		flags string
		code  int
		want  string
	}{
		{"--types i8,i8,i32,i32 --zeros a=az", 2, "--zeros a=az: a product without a function has no zero points; name one with --epilogue"},
		{"--types f64,f64,f64,f64 --grouped --shape 8,8,8", 1, "Shape is 8 x 8 x 8; leave one of the two out"},
		{"--backward", 2, "--backward belongs to a function: without one, the gradient by the product is that by the result"},
		{"--types i8,i8,i32,u8 --epilogue example.com/shop/layers.Lift --operands scale=scalar:f32 --backward", 2, "backward: sums of i32 have no derivative"},
		{"--epilogue layers.Lift --zeros acc=az", 2, `--zeros: "acc=az" is not a zero point; write a=NAME or b=NAME, as in a=az,b=bz`},
		{"--epilogue layers.Lift --zeros a", 2, `--zeros: "a" is not a zero point; write a=NAME`},
		{"--epilogue layers.Lift --zeros a=az,a=bz", 2, "--zeros a=az,a=bz: a has two zero points"},
		{"--types f16,f16,f32,f32 --shape 8,8,8", 1, "has no fixed shape yet; leave it away"},
		{"--types i4,i8,i32,i32", 2, `unknown element type "i4"; known are f32`},
		{"--epilogue relu", 2, "want a function with its package, as in act.GELU"},
		{"--epilogue example.com/shop/layers.swish", 2, "swish is not exported; export it, or write a spec file"},
		{"--epilogue example.com/shop/layers.Swash", 2, "has no function Swash; go doc example.com/shop/layers lists"},
		{"--epilogue nothing.Swish", 2, "no package of module example.com/shop is called nothing; write the package's full path"},
		{"--epilogue layers.Swish", 2, "layers may be example.com/shop/layers or example.com/shop/two/layers; write the full path"},
		{"--epilogue act.GELU", 2, "act may be example.com/shop/other/act or github.com/tilesmith/tilesmith/gemm/act"},
		{"--epilogue example.org/nowhere.F", 2, "example.org/nowhere"},
		{"--epilogue example.com/shop/layers.Swish", 2, "layers.Swish has 2 parameters, not 1"},
		{"--epilogue example.com/shop/layers.Swish --operands bias=percolumn:f64", 2, "which is given the sum, float32; bias, float64"},
		{"--epilogue example.com/shop/layers.Mixed --operands a1=perrow,b1=full:i8,c1=scalar", 2, "it takes (float32, float32, int8, float32) and returns (int8, float32)"},
		{"--epilogue example.com/shop/layers.Capture", 2, "layers/layers.go:27:35: the variable calls is outside the function"},
		{"--operands bias=percolumn", 2, "name it with --epilogue"},
		{"--epilogue example.com/shop/layers.Swish --operands bias=diagonal", 2, "the pattern is perrow, percolumn, full or scalar"},
		{"--epilogue example.com/shop/layers.Swish --operands bias", 2, "write NAME=PATTERN:TYPE"},
		{"--epilogue example.com/shop/layers.Swish --operands bias=full:f31", 2, `unknown element type "f31"; known are f32`},
		{"--epilogue example.com/shop/layers.Swish --operands out=full", 2, `two parameters are called "out"`},
		{"--types f32,f32,f32,f32 --epilogue github.com/tilesmith/tilesmith/gemm/act.ReLU --zeros a=az", 2, "az is the zero point of a, which is f32 with sums of f32; want integers with sums of i32, or leave it out"},
		{"--types i8,i8,i32,u8 --epilogue example.com/shop/layers.Lift --operands scale=scalar:f32 --zeros a=scale", 2, `two parameters are called "scale"`},
		{"--types i8,bf16,i32,i32", 2, "no operator multiplies i8 by bf16 into i32; operands may be"},
		{"--types i8,i8,i32,u8", 2, "give the spec an epilogue"},
		{"--types i8,i8,f32,f32", 2, "no operator multiplies i8 by i8 into f32; operands may be"},
		{"--types bf16,bf16,f32,i8", 2, "give the spec an epilogue"},
		{"--targets avx9", 2, "avx512, avxvnni, avx2, neonbf16, neoni8mm, neondot, neonfhm, neon, sm_120, sm_100, sm_90a"},
		{"--targets sm_120a", 2, "runs on every later one too, so sm_90 does on sm_103"},
		{"--targets sm_90a", 1, "target sm_90a is for instructions such as wgmma, which its kernels do not use, and its text would run on compute capability 9.0 only; write sm_90"},
		{"--out new/func --epilogue example.com/shop/layers.Swish", 2, "--package"},
		{"--out nowhere --check --types bf16,f16,f32,f32", 1, "generate without --check"},
	}) {
		args := append([]string{"gen", "gemm", "--name", "Dense", "--out", "new/dense"}, strings.Fields(x.flags)...)
		out, err := s.try(".", command(t), args...)
		code := 0
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			code = exit.ExitCode()
		}
		out = strings.TrimSpace(out)
		if code != x.code || !strings.Contains(out, x.want) || strings.Contains(out, "\n") {
			t.Errorf("%s: exit %d:\n%s\nwant exit %d and one line with %q", x.flags, code, out, x.code, x.want)
		}
	}
	if files := s.generated(false); len(files) > 0 {
		t.Errorf("%d files were generated", len(files))
	}
	if list := names(t, s.dir); strings.Join(list, " ") != "go.mod go.sum layers other two" {
		t.Errorf("the module holds %q", list)
	}
}

// TestOutsideModule wants a sentence where nothing can be imported.
func TestOutsideModule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	cmd := exec.Command(command(t), "gen", "gemm", "--name", "Dense", "--epilogue", "act.GELU", "--package", "p")
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "go get -tool") || len(names(t, cmd.Dir)) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}
