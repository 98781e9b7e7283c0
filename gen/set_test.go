package gen

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
)

func TestSetName(t *testing.T) {
	for source, want := range map[string]string{
		"spec.go": "layers", "../spec.go": "layers", "dense_spec.go": "dense", "dense.go": "dense", "a_b_spec.go": "a_b", "_spec.go": "layers", "_dense.go": "dense", ".dense_spec.go": "dense",
		"tilesmith gen gemm --name DenseX --types f32,f32,f32,f32": "dense_x", "tilesmith gen spmm --types f32": "layers", "a test": "layers",
	} {
		if have := setName(source, "layers"); have != want {
			t.Errorf("%s: %q, want %q", source, have, want)
		}
	}
	for name, want := range map[string]bool{
		"dense_gen.go": true, "dense_gen_test.go": true, "dense_gen_other.go": true, "dense_gen_amd64.go": true, "dense_gen_amd64.s": true, "gpu/dense_sm80.ptx": true, "gpu/dense_gen.go": true,
		"dense.go": false, "dense_fn.go": false, "dense_noasm.go": false, "dense_amd64.go": false, "dense_avx2_amd64.s": false, "dense_test.go": false, "gpu/dense.go": false, "dense_gen_ptx.s": false,
	} {
		if have := inSet(name); have != want {
			t.Errorf("%s is of a set: %v", name, have)
		}
	}
}

// TestSet wants one set of files for all specs of a source, with an order, and nothing in them twice.
func TestSet(t *testing.T) {
	specs := []Spec{
		gemm.Spec[float32, float32, float32, float32]{Name: "Zeta", Epilogue: gemm.Map1(act.GELU[float32])},
		gemm.Spec[float32, float32, float32, float32]{Name: "Alpha"},
		Functions{Name: "Own", Targets: []emit.Target{amd64.AVX2}, Build: func(tg emit.Target) ([]*emit.Func, error) {
			f, err := emit.Build("own_avx2", []emit.Arg{{Name: "c", Type: emit.Ptr}}, func(b *emit.Builder) { b.Store(b.Int(1), emit.At(b.Param("c", emit.Ptr), 0)) })
			return []*emit.Func{f}, err
		}},
	}
	files, err := Generate(Options{Package: "layers", Source: "dense_spec.go", Program: "a test", Dir: "."}, specs...)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
		text := string(f.Data)
		var order []string
		for line := range strings.Lines(text) {
			if rest, ok := strings.CutPrefix(line, specMark); ok {
				name := strings.FieldsFunc(rest, func(r rune) bool { return r == '.' || r == ',' })[0]
				if len(order) == 0 || order[len(order)-1] != name {
					order = append(order, name)
				}
			}
		}
		if have := strings.Join(order, " "); have != map[string]string{"_gen.go": "Zeta Alpha", "_gen_test.go": "Zeta Alpha", "_gen_amd64.s": "Zeta Own", "_gen_arm64.s": "Zeta", "_gen_arm64.go": "Zeta Alpha"}[strings.TrimPrefix(f.Name, "dense")] && have != "Zeta Alpha Own" {
			t.Errorf("%s has %q", f.Name, have)
		}
		if strings.HasSuffix(f.Name, ".go") {
			tree, err := parser.ParseFile(token.NewFileSet(), f.Name, text, parser.ParseComments)
			if err != nil || tree.Doc != nil {
				t.Errorf("%s: %v, and it says of the package %v", f.Name, err, tree.Doc)
			}
			if n := strings.Count(text, "const _ = run."); n > 1 {
				t.Errorf("%s asserts a version %d times", f.Name, n)
			}
			continue
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "GLOBL ") && strings.Count(text, line) != 1 {
				t.Errorf("%s: %s", f.Name, line)
			}
			if strings.HasPrefix(line, "TEXT ") && !strings.Contains(text, "\n"+line) {
				t.Errorf("%s: %s", f.Name, line)
			}
		}
		if strings.Count(text, "\n#include ") != 1 || strings.Count(text, "\n//go:build ") != 1 {
			t.Errorf("%s begins\n%.300s", f.Name, text)
		}
		for _, want := range map[string][]string{
			"dense_gen_amd64.s": {"\n// Spec Zeta, avx512, epi.\n", "\n// Spec Own, avx2.\n"}, "dense_gen_arm64.s": {"\n// Spec Zeta, neon, epi.\n"},
		}[f.Name] {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no line %q", f.Name, want)
			}
		}
	}
	if have, want := strings.Join(names, " "), "dense_gen.go dense_gen_amd64.go dense_gen_amd64.s dense_gen_arm64.go dense_gen_arm64.s dense_gen_other.go dense_gen_test.go"; have != want {
		t.Errorf("the files are %s, want %s", have, want)
	}
	// Functions alone have no portable code and no test, and so no files for them.
	files, err = Generate(Options{Package: "layers", Source: "spec.go"}, specs[2])
	if err != nil || len(files) != 3 || files[0].Name != "layers_gen_amd64.go" {
		t.Errorf("%d files of functions, %v", len(files), err)
	}
}

func TestAbout(t *testing.T) {
	for _, c := range []struct{ spec, name, want string }{
		{"SGEMM", "sGEMM_avx2_6x16tail", "Spec SGEMM, avx2, tile 6x16tail."}, {"Dense", "dense_avx2_epi", "Spec Dense, avx2, epi."},
		{"Nests", "dense_16_avx2", "Spec Nests, avx2, dense 16."}, {"Dense", "dense_avx2", "Spec Dense, avx2."},
	} {
		if have := about(c.spec, amd64.AVX2, c.name); have != c.want {
			t.Errorf("%s of %s: %s, want %s", c.name, c.spec, have, c.want)
		}
	}
}

// TestSheetData: data of several specs stand once below the functions, and get numbers where one name
// has different data.
func TestSheetData(t *testing.T) {
	part := func(name, bits string) section {
		return section{file: "p_gen_amd64.s", spec: name, constraint: "!noasm", text: "\n#include \"textflag.h\"\n\n// " + name + " loads.\nTEXT ·" + name + "(SB), NOSPLIT, $0-8\n\tMOVQ k<>(SB), AX\n\tMOVQ lk<>(SB), AX\n\tMOVQ ·k<>(SB), AX\n\tRET\n\n// Lanes.\nDATA k<>+0(SB)/8, $" +
			bits + "\nGLOBL k<>(SB), RODATA|NOPTR, $8\n\nDATA lk<>+0(SB)/8, $7\nGLOBL lk<>(SB), RODATA|NOPTR, $8\n"}
	}
	var s sheets
	for i, bits := range []string{"1", "2", "1", "3", "2"} {
		s.add("Header.", "p", part("f"+string(rune('a'+i)), bits))
	}
	files, err := s.files()
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	fn := func(name, k string) string {
		return "// " + name + " loads.\nTEXT ·" + name + "(SB), NOSPLIT, $0-8\n\tMOVQ " + k + "<>(SB), AX\n\tMOVQ lk<>(SB), AX\n\tMOVQ ·k<>(SB), AX\n\tRET\n\n"
	}
	data := func(k, bits string) string {
		return "// Lanes.\nDATA " + k + "<>+0(SB)/8, $" + bits + "\nGLOBL " + k + "<>(SB), RODATA|NOPTR, $8\n\n"
	}
	want := "// Header.\n\n//go:build !noasm\n\n#include \"textflag.h\"\n\n" + fn("fa", "k") + fn("fb", "k_2") + fn("fc", "k") + fn("fd", "k_3") + fn("fe", "k_2") +
		data("k", "1") + data("k_2", "2") + data("k_3", "3") + "DATA lk<>+0(SB)/8, $7\nGLOBL lk<>(SB), RODATA|NOPTR, $8\n"
	if have := string(files[0].Data); have != want {
		t.Errorf("there is\n%s\nwant\n%s", have, want)
	}
	var shared sheets
	for _, bits := range []string{"1", "2"} {
		x := part("f", bits)
		x.text = strings.ReplaceAll(x.text, "k<>", "k")
		shared.add("Header.", "p", x)
	}
	if _, err := shared.files(); err == nil || !strings.Contains(err.Error(), "p_gen_amd64.s cannot be printed: two specs define the symbol k differently") {
		t.Errorf("a symbol of the program with different data: %v", err)
	}
}

// TestSheetImports: two specs import different packages by one name, and one package by two.
func TestSheetImports(t *testing.T) {
	var s sheets
	for _, c := range []struct{ spec, path string }{{"A", "example.com/a/curves"}, {"B", "example.com/b/curves"}, {"C", "example.com/a/curves"}, {"D", "bends example.com/a/curves"}, {"E", "example.com/c/curves"}} {
		u := &unit.Unit{Name: c.spec, Imports: []string{c.path}}
		name := importName(c.path)
		x, err := goSection(Options{}, "p_gen.go", "", u, []unit.Decl{unit.Text("const _ = " + name + ".ABI"), unit.Func{Name: "F" + c.spec, Body: name + ".Bend()"}})
		if err != nil {
			t.Fatal(err)
		}
		s.add("Header.", "p", x)
	}
	files, err := s.files()
	if err != nil {
		t.Fatal(err)
	}
	want := `// Header.

package p

import (
	"example.com/a/curves"
	bends "example.com/a/curves"
	curvespkg "example.com/b/curves"
	curvespkgpkg "example.com/c/curves"
)

// Spec A.

const _ = curves.ABI

func FA() { curves.Bend() }

// Spec B.

const _ = curvespkg.ABI

func FB() { curvespkg.Bend() }

// Spec C.

func FC() { curves.Bend() }

// Spec D.

const _ = bends.ABI

func FD() { bends.Bend() }

// Spec E.

const _ = curvespkgpkg.ABI

func FE() { curvespkgpkg.Bend() }
`
	if have := string(files[0].Data); have != want {
		t.Errorf("there is\n%s\nwant\n%s", have, want)
	}
}
