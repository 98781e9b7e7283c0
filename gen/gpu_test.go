package gen

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gemm/tabulate"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/verify/gpu"
	"github.com/tilesmith/tilesmith/verify/gpu/kernels"
)

type bf16Spec = gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]

// TestGPUFiles: what is written for GPUs, beside CPUs and alone.
func TestGPUFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("many kernels for GPUs")
	}
	cases := []struct {
		targets []emit.Target
		want    string
	}{
		{GPU, "gpu/p_gen.go gpu/p_gen_test.go gpu/x_sm80.ptx"},
		{All, "gpu/p_gen.go gpu/p_gen_test.go gpu/x_sm80.ptx p_gen.go p_gen_amd64.go p_gen_other.go p_gen_test.go"},
		{[]emit.Target{ptx.SM90, amd64.AVX2, ptx.SM80}, "gpu/p_gen.go gpu/p_gen_test.go gpu/x_sm80.ptx gpu/x_sm90.ptx p_gen.go p_gen_amd64.go p_gen_other.go p_gen_test.go"},
	}
	for _, i := range level.Pick(len(cases), 1, 1) {
		x := cases[i]
		s := f32Spec{Name: "X", Targets: x.targets, GPU: tiling.GPU{BM: 64, BN: 64, BK: 16, WM: 32, WN: 32, Stages: 2}}
		files, err := Generate(Options{Package: "p", Source: "spec.go"}, s)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range files {
			names = append(names, f.Name)
			source, pkg := "spec.go", "p"
			if strings.HasPrefix(f.Name, "gpu/") {
				source, pkg = "../spec.go", "gpu"
			}
			if !bytes.HasPrefix(f.Data, []byte("// "+Header(source)+"\n")) {
				t.Errorf("%s does not begin with the header", f.Name)
			}
			if filepath.Ext(f.Name) != ".go" {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Data, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			if parsed.Name.Name != pkg {
				t.Errorf("%s is of package %s", f.Name, parsed.Name.Name)
			}
			for _, i := range parsed.Imports {
				if pkg == "p" && strings.Contains(i.Path.Value, "cuda") {
					t.Errorf("%s, which CPUs need, imports %s", f.Name, i.Path.Value)
				}
			}
		}
		if have := strings.Join(names, " "); have != x.want {
			t.Errorf("%v: %s, want %s", emit.Targets(x.targets).Names(), have, x.want)
		}
		again, err := Generate(Options{Package: "p", Source: "spec.go"}, s)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(files, again, func(a, b File) bool { return a.Name == b.Name && bytes.Equal(a.Data, b.Data) }) {
			t.Error("another run gives other files")
		}
	}
}

// TestGPUSet: every kernel that the literal names is in the text, and no other.
func TestGPUSet(t *testing.T) {
	if testing.Short() {
		t.Skip("many kernels")
	}
	s := gemm.Spec[float32, float32, float32, float32]{Name: "X", Targets: GPU, GPU: level.Of(groupTile, groupTile, tiling.GPU{}),
		Epilogue: gemm.Map1(act.ReLU[float32]).RowMax("peak").RowArgMax("at")}
	files, err := Generate(Options{Package: "p", Source: "a test", Dir: "../gemm/act"}, s)
	if err != nil {
		t.Fatal(err)
	}
	var code, text string
	for _, f := range files {
		switch f.Name {
		case "gpu/p_gen.go":
			code = string(f.Data)
		case "gpu/x_sm80.ptx":
			text = string(f.Data)
		}
	}
	kernels := cuda.Kernels(text)
	if len(kernels) < 10 {
		t.Errorf("the text has the kernels %q only", kernels)
	}
	names := 0
	for _, k := range kernels {
		n := strings.Count(code, fmt.Sprintf("%q", k))
		if shared := strings.Contains(k, "_parts"); n != 1 && !shared || n == 0 { // it ends the tiles of several
			t.Errorf("%s is named %d times", k, n)
		}
		names += n
	}
	if n := strings.Count(code, `"x_sm80_`); n != names {
		t.Errorf("%d names, of which %d are of kernels", n, names)
	}
	for _, want := range []string{
		"func X(stream cuda.Stream, out cuda.Matrix[float32], peak cuda.Slice[float32], at cuda.Slice[int32], a, b cuda.Matrix[float32]) error {",
		"run.Out(call, out)\n\trun.Reduced(call, peak)\n\trun.Reduced(call, at)\n\trun.A(call, a)\n\trun.B(call, b)\n",
		"run.OutBatch(call, out)\n", "Kind: run.Second, Type: dtype.I32, Reduce: run.Indices", "//go:embed x_sm80.ptx",
	} {
		if !strings.Contains(code, want) {
			t.Errorf("gpu/p_gen.go lacks %s", want)
		}
	}
}

// TestGPURefused wants the spec and the limit named.
func TestGPURefused(t *testing.T) {
	tile := func(g tiling.GPU) Spec { return bf16Spec{Name: "Dense", Targets: GPU, GPU: g} }
	for _, x := range []struct {
		what string
		spec Spec
		want []string
	}{
		{"words", gemm.Spec[int16, int16, int32, int32]{Name: "Dense", Targets: GPU}, []string{"Dense", "i16"}},
		{"shared memory", tile(tiling.GPU{BM: 128, BN: 256, BK: 64, WM: 64, WN: 64, Stages: 6}), []string{"Dense", "sm_80", "294912 bytes of shared memory", "166912", "fewer stages"}},
		{"registers", tile(tiling.GPU{BM: 256, BN: 128, BK: 32, WM: 128, WN: 64, Stages: 3}), []string{"Dense", "registers", "255"}},
		{"a tile that is no power of two", tile(tiling.GPU{BM: 96, BN: 128, BK: 32, WM: 32, WN: 64, Stages: 3}), []string{"Dense", "BM", "power of two"}},
		{"stages", tile(tiling.GPU{BM: 64, BN: 64, BK: 32, WM: 32, WN: 32, Stages: 1}), []string{"Dense", "2 to 8 stages"}},
		{"alignment", tile(tiling.GPU{BM: 64, BN: 64, BK: 4, WM: 32, WN: 32, Stages: 3}), []string{"Dense", "BK", "at least 16"}},
		{"an operand's name", gemm.Spec[float32, float32, float32, float32]{Name: "Dense", Targets: GPU,
			Epilogue: gemm.Map2(func(acc, x float32) float32 { return acc + x }, gemm.PerRow[float32]("DenseOpt"))}, []string{"Dense", `"DenseOpt"`, "another name"}},
		{"an operator of one's own on a CPU", f32Spec{Name: "Dense", Targets: All, Operator: minus{gemm.FMA{Elem: emit.F32}}}, []string{"Dense", "minus", "no portable form"}},
		{"a semiring whose Zero cannot pad", f32Spec{Name: "Dense", Targets: GPU, Operator: gemm.Over(semiring.MaxTimes[float32]())}, []string{"Dense", "maxtimes.f32", "fills K up with Zero"}},
		{"bare kernels", Functions{Name: "Dense", Targets: GPU}, []string{"Dense", "sm_80", "CPU targets"}},
		{"an unknown GPU", f32Spec{Name: "Dense", Targets: []emit.Target{{Name: "sm_61", Arch: "ptx"}}}, []string{"Dense", "sm_61"}},
		{"one twice", f32Spec{Name: "Dense", Targets: append(GPU[:1:1], GPU...)}, []string{"Dense", "listed twice"}},
	} {
		_, err := Generate(Options{Package: "p", Source: "spec.go"}, x.spec)
		for _, w := range x.want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v, want an error with %q", x.what, err, w)
				break
			}
		}
	}
}

// TestGPUSemiring: the table of an operator is right for one that is known otherwise, and
// a spec with an operator of one's own gets it.
func TestGPUSemiring(t *testing.T) {
	if testing.Short() {
		t.Skip("many kernels")
	}
	sums, err := tabulate.Sums[float32](gemm.MaxPlus, gpu.SemiringDepth, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for depth := range gpu.SemiringDepth + 1 {
		for i := range semiring.SampleRows {
			for j := range semiring.SampleCols {
				want := float32(math.Inf(-1))
				for k := range depth {
					want = max(want, float32(semiring.SampleA(i, k))+float32(semiring.SampleB(k, j)))
				}
				if have := sums[at]; have != want {
					t.Fatalf("depth %d at (%d, %d): %v, want %v", depth, i, j, have, want)
				}
				at++
			}
		}
	}
	if at != len(sums) {
		t.Errorf("%d sums, want %d", len(sums), at)
	}
	least := semiring.MaxMin[float32]()
	least.Name, least.Zero = "minmax", float32(math.Inf(1))
	least.Plus, least.PlusBy, least.Times, least.TimesBy = least.Times, least.TimesBy, least.Plus, least.PlusBy
	files, err := Generate(Options{Package: "p", Source: "spec.go"}, f32Spec{Name: "Widest", Targets: GPU, Operator: gemm.Over(least), GPU: tiling.GPU{BM: 64, BN: 64, BK: 16, WM: 32, WN: 32, Stages: 2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name == "gpu/p_gen_test.go" && (!bytes.Contains(f.Data, []byte("gpu.Tabulated(gpu.Plain(WidestKernels(), WidestOpt), widestSums)")) || !bytes.Contains(f.Data, []byte("0x7f800000"))) {
			t.Errorf("the test has no table:\n%s", f.Data)
		}
	}
}

// TestMeasurePTX counts in a text that is known.
func TestMeasurePTX(t *testing.T) {
	const text = `.visible .entry k(
)
{
	.reg .pred %p<3>;
	.reg .f32 %f<40>;
$L1:
	ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r1];
	cp.async.cg.shared.global [%r1], [%rd1], 16;
$L2:
	@%p1 fma.rn.f32 %f5, %f1, %f2, %f5;
	fma.rn.f32 %f6, %f1, %f3, %f6;
	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r2];
	add.s32 %r2, %r2, 16;
	@%p1 bra.uni $L2;
	fma.rn.f32 %f7, %f1, %f3, %f7;
	@!%p2 bra $L1;
	ret;
}
`
	want := "threads    64 a CTA, 2 warps\nshared     49152 bytes a CTA of at most 166912; CTAs an SM by that: 3\n" +
		"values     3 pred, 40 f32\nmain loop  0 mma, 2 fma, 1 loads from shared memory, 0 asynchronous copies, 1 other instructions\n"
	if d := cmp.Diff(want, measurePTX(&history{target: "sm_80", threads: 64, shared: 49152}, text)); d != "" {
		t.Error(d)
	}
}

// TestAssembled gives every PTX file below gen/examples, and the products that
// TestProducts generates, to ptxas, where there is one: it must have no warning, no
// spill and nothing to say of serialised kernels.
func TestAssembled(t *testing.T) {
	ptxas := os.Getenv("TILESMITH_PTXAS")
	if ptxas == "" {
		var err error
		if ptxas, err = exec.LookPath("ptxas"); err != nil {
			t.Skip("no ptxas in PATH or TILESMITH_PTXAS: the text is not assembled")
		}
	}
	files, err := filepath.Glob("examples/*/gpu/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatalf("found the files %q: %v", files, err)
	}
	for _, set := range kernels.All() {
		file := filepath.Join(t.TempDir(), set.Name+".ptx")
		if err := os.WriteFile(file, []byte(set.Targets[0].PTX), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		h, err := cuda.ReadHeader(string(data))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range complaints(t, ptxas, h.Target, file, len(cuda.Kernels(string(data)))) {
			t.Errorf("%s: %s", file, line)
		}
	}
	bad := filepath.Join(t.TempDir(), "bad.ptx")
	text := ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n.maxntid 1024, 1, 1\n{\n\t.local .b8 x[16];\n\t.reg .b64 %a;\n\tmov.u64 %a, x;\n\tst.local.b64 [%a], %a;\n\tret;\n}\n"
	if err := os.WriteFile(bad, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if complaints(t, ptxas, "sm_80", bad, 1) == nil {
		t.Error("a kernel that uses local memory is not found fault with")
	}
}

// complaints returns what ptxas says of a file besides what a good one has: a line
// for each of its kernels, without spills.
func complaints(t *testing.T, ptxas, target, file string, kernels int) (bad []string) {
	t.Helper()
	out, err := exec.Command(ptxas, "-arch", target, "-v", "-warn-spills", "-warn-lmem-usage", "-o", filepath.Join(t.TempDir(), "k.cubin"), file).CombinedOutput()
	const clean = "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
	n := 0
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.Contains(line, clean):
			n++
		case slices.ContainsFunc([]string{"arning", "rror", "spill", "C75", "dvisory"}, func(s string) bool { return strings.Contains(line, s) }):
			bad = append(bad, line)
		}
	}
	if err != nil {
		bad = append(bad, err.Error())
	} else if n != kernels {
		bad = append(bad, fmt.Sprintf("%d of %d kernels are clean", n, kernels))
	}
	return bad
}
