package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/clitest"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/specfile"
	"github.com/tilesmith/tilesmith/internal/level"
)

// TestErrors holds exit codes, and that errors say where, what and what instead.
func TestErrors(t *testing.T) {
	file := func(files map[string]string, name string) string {
		return filepath.Join(clitest.Folder(t, files), name)
	}
	out := t.TempDir()
	for _, x := range []struct {
		args []string
		code int
		why  string
	}{
		{nil, 2, "a command is missing"},
		{[]string{"nonsense"}, 2, "there is no command \"nonsense\"; tilesmith help lists them"},
		{[]string{"--nonsense"}, 2, "unknown flag: --nonsense; tilesmith help lists the commands"},
		{[]string{"seep", "--kernels", "x"}, 2, "there is no command \"seep\"; did you mean sweep?"},
		{[]string{"help", "explian"}, 2, "did you mean explain?"},
		{[]string{"gen", "gem", "--name", "X"}, 2, "did you mean gemm?"},
		{[]string{"sweep", "--formt", "csv"}, 2, "unknown flag: --formt; tilesmith help sweep lists the flags"},
		{[]string{"gen", "gemm", "--nome", "X"}, 2, "tilesmith help gen gemm lists"},
		{[]string{"sweep", "--format", "xml"}, 2, "--format xml: there is table bench csv json"},
		{[]string{"sweep", "--json", "--format", "csv"}, 2, "give one of them"},
		{[]string{"verify", "--format", "bench"}, 2, "--format bench: there is table csv json"},
		{[]string{"version", "x"}, 2, "takes no arguments"},
		{[]string{"run"}, 2, "takes spec files or folders"},
		{[]string{"run", "a.go", "b.go"}, 1, "no spec file"},
		{[]string{"run", "--bad", "a.go"}, 2, "unknown flag"},
		{[]string{"explain"}, 2, "takes spec files or folders"},
		{[]string{"explain", "spec.go", "--machine", "fast"}, 2, "neither a file nor one of reference, this, measured, AMD Zen 2"},
		{[]string{"explain", "spec.go", "--machine", file(map[string]string{"m": "x\n"}, "m")}, 2, `m:1: the line is "x"`},
		{[]string{"demo", "x"}, 2, "takes no arguments"},
		{[]string{"gen"}, 2, "kind of kernel"},
		{[]string{"gen", "conv"}, 2, "kind of kernel"},
		{[]string{"gen", "gemm"}, 2, "needs --name"},
		{[]string{"gen", "gemm", "--name", "X", "--out", ""}, 2, "--out is empty; . is this folder"},
		{[]string{"gen", "spmv", "--name", "X", "--out", ""}, 2, "--out is empty; . is this folder"},
		{[]string{"gen", "gemm", "--name", "X", "--types", "f32,f32"}, 2, "want four"},
		{[]string{"gen", "gemm", "--name", "X", "--types", "f32,f64,f32,f32"}, 2, "exit status 2"}, // the spec program says why,
		{[]string{"gen", "gemm", "--name", "X", "--types", "f33,f32,f32,f32"}, 2, "known are f32, f64"},
		{[]string{"gen", "gemm", "--name", "X", "--types", "bf16,bf16,bf16,bf16"}, 2, "exit status 2"},
		{[]string{"gen", "gemm", "--name", "X", "--targets", "mmx"}, 2, "there is amxbf16, amxint8, avx512bf16, avx512vnni, avx512, avxvnni, avx2"},
		{[]string{"gen", "gemm", "--name", "X", "--targets", "avx2,avx2"}, 2, "listed twice"},
		{[]string{"gen", "gemm", "--name", "X", "--out", filepath.Join(out, "func")}, 2, "named after the folder \"func\"; give a name with --package, as in --package kernels"},
		{[]string{"gen", "gemm", "--name", "X", "--out", filepath.Join(out, "1.2")}, 2, "give a name with --package"},
		{[]string{"gen", "gemm", "--name", "X", "--out", filepath.Join(out, "main")}, 2, "give a name with --package"},
		{[]string{"gen", "gemm", "--name", "X", "--out", out, "--package", "a-b"}, 2, "\"a-b\" cannot be the name of a package"},
		{[]string{"gen", "gemm", "--name", "../x", "--out", out, "--package", "p"}, 1, "not a Go identifier"},
		{[]string{"gen", "gemm", "--name", "X", "--out", out, "--package", "p", "--check"}, 1, "x_gen.go is missing"},
		{[]string{"run", filepath.Join(out, "none.go")}, 1, "no spec file"},
		{[]string{"run", out}, 1, "has no spec"},
		{[]string{"run", filepath.Join(out, "...")}, 1, "matches no folder with a spec"},
		{[]string{"explain", filepath.Join(out, "none", "...")}, 1, "no spec file or folder"},
		{[]string{"run", file(map[string]string{"spec.go": clitest.Spec}, "spec.go")}, 1, "no Go package"},
		{[]string{"run", file(map[string]string{"spec.go": "package main\n\nfunc main() {}\n"}, "spec.go")}, 1, "//go:build ignore"},
		{[]string{"run", file(map[string]string{"spec.go": "//go:build ignore\n\npackage p\n"}, "spec.go")}, 1, "package main"},
		{[]string{"run", file(map[string]string{"spec.go": clitest.Spec, "a.go": "package p\n", "b.go": "package p\n\nimport \"C\"\n"}, "spec.go")}, 1, "sub-package"},
		{[]string{"run", file(map[string]string{"spec.go": clitest.Spec, "a.go": "package p\n", "b.go": "package q\n"}, "spec.go")}, 1, "package q"},
		{[]string{"run", file(map[string]string{"spec.go": clitest.Spec, "a.go": "package p p\n"}, "spec.go")}, 1, "a.go:1:11"},
	} {
		generates := x.why == "exit status 2" || slices.Contains(x.args, "../x") || slices.Contains(x.args, "--check")
		if generates && !level.RunsGo() {
			continue
		}
		err := dispatch(x.args, io.Discard)
		if cli.ExitCode(err) != x.code || err == nil || !strings.Contains(err.Error(), x.why) {
			t.Errorf("tilesmith %s: exit %d, %v; want %d and %q", strings.Join(x.args, " "), cli.ExitCode(err), err, x.code, x.why)
		}
	}
}

// TestHelp: every command and every flag is explained, in the help and in the comment of
// the package, and help asks for nothing else.
func TestHelp(t *testing.T) {
	var all bytes.Buffer
	if err := dispatch([]string{"help"}, &all); err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	root := cli.NewRoot(nil, commands()...)
	for _, c := range root.Commands() {
		if !strings.Contains(all.String(), c.Short) || !strings.Contains(string(doc), "//\ttilesmith "+c.Name()+" ") {
			t.Errorf("the help or the package comment lacks %s", c.Name())
		}
		for _, c := range append(c.Commands(), c) {
			words := strings.Fields(c.CommandPath())[1:]
			for _, args := range [][]string{append([]string{"help"}, words...), append(words, "--help"), append(words, "-h")} {
				var b bytes.Buffer
				if err := dispatch(args, &b); err != nil {
					t.Errorf("%q: %v", args, err)
				}
				c.Flags().VisitAll(func(f *pflag.Flag) {
					if !strings.Contains(b.String(), "--"+f.Name) || f.Usage == "" {
						t.Errorf("%q says nothing of --%s:\n%s", args, f.Name, &b)
					}
				})
			}
		}
	}
	for flag, want := range map[string]string{"sweep --time": "(default 200ms)", "gpu --budget": "(default 8m0s)", "formats --features": "(default 128)", "sweep --format": "(default: table on a terminal, else bench)"} {
		name, _, _ := strings.Cut(flag, " ")
		var b bytes.Buffer
		if err := dispatch([]string{"help", name}, &b); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: no %q in\n%s%v", flag, want, &b, err)
		}
	}
}

// TestCompletion: there are scripts for shells, and what is completed are commands, flags
// and their values.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		var b bytes.Buffer
		if err := dispatch([]string{"completion", shell}, &b); err != nil || !strings.Contains(b.String(), "tilesmith") {
			t.Errorf("%s: %v, %d bytes", shell, err, b.Len())
		}
	}
	if err := dispatch([]string{"completion", "bas"}, io.Discard); cli.ExitCode(err) != 2 || !strings.Contains(err.Error(), "did you mean bash?") {
		t.Errorf("a shell that is none: %v", err)
	}
	for args, want := range map[string]string{
		"__complete swe": "sweep\t", "__complete help ver": "verify\t", "__complete gen ": "spmm\t", "__complete sweep --form": "--format\t",
		"__complete sweep --format ": "bench\n", "__complete explain --target ": "avx512\n", "__complete verify --isa ": "all\n",
	} {
		line := strings.Split(args, " ")
		var b bytes.Buffer
		if err := dispatch(line, &b); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%q: %q is missing in\n%s%v", line, want, &b, err)
		}
	}
}

// TestPackageName reads what a build would see.
func TestPackageName(t *testing.T) {
	dir := clitest.Folder(t, map[string]string{
		"spec.go": clitest.Spec, "x_test.go": "package p_test\n", "_old.go": "package old\n", ".hidden.go": "package hidden\n",
		"tool.go": "// Copyright.\n\n//go:build ignore && linux\n\npackage main\n", "z.go": "//go:build !noasm\n\npackage p\n", "notes.txt": "package q\n",
	})
	if name, err := specfile.PackageName(dir); name != "p" || err != nil {
		t.Errorf("%q, %v; want p", name, err)
	}
	// Stock packages are found from their hand-written files alone.
	kern, err := filepath.Glob("../../cpu/kern/*")
	if err != nil || len(kern) < 12 {
		t.Fatalf("found %d stock packages only: %v", len(kern), err)
	}
	for _, stock := range append(kern, "../../verify/roof") {
		bare := t.TempDir()
		entries, err := os.ReadDir(stock)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			data, err := os.ReadFile(filepath.Join(stock, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(data), "// Code generated by tilesmith") {
				if err := os.WriteFile(filepath.Join(bare, e.Name()), data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		if name, err := specfile.PackageName(bare); name != filepath.Base(stock) || err != nil {
			t.Errorf("%s: %q, %v", stock, name, err)
		}
	}
}

// TestOtherSystem runs a spec as go generate does under GOOS=windows: the spec
// program must run here all the same.
func TestOtherSystem(t *testing.T) {
	level.E2E(t)
	if runtime.GOOS == "windows" {
		t.Skip("this is windows")
	}
	t.Setenv("GOOS", "windows")
	t.Setenv("GOARCH", "arm64")
	if err := dispatch([]string{"run", "--check", "../../cpu/kern/gemmf/spec.go"}, io.Discard); err != nil {
		t.Error(err)
	}
}

func TestGenKernel(t *testing.T) {
	level.E2E(t)
	out := filepath.Join(t.TempDir(), "dense")
	args := []string{"gen", "gemm", "--name", "DenseX", "--types", "f64,f64,f64,f64", "--targets", "avx2,avx512", "--out", out}
	for _, a := range [][]string{args, append(args, "--check"), args} {
		if err := dispatch(a, io.Discard); err != nil {
			t.Fatalf("%q: %v", a, err)
		}
	}
	data, err := os.ReadFile(filepath.Join(out, "dense_x_gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	const header = "// Code generated by tilesmith from tilesmith gen gemm --name DenseX --types f64,f64,f64,f64 --targets avx512,avx2; DO NOT EDIT.\n\npackage dense\n"
	if !strings.HasPrefix(string(data), header) || !strings.Contains(string(data), "func DenseX(out, a, b layout.Matrix[float64])") {
		t.Errorf("dense_x_gen.go begins\n%s", data[:min(len(data), 200)])
	}
	if stubs, err := os.ReadFile(filepath.Join(out, "dense_x_gen_amd64.go")); err != nil || !strings.Contains(string(stubs), "&gemmf.DGEMMMicroAVX512") {
		t.Errorf("dense_x_gen_amd64.go shares no kernels: %v\n%s", err, stubs)
	}
	err = dispatch(append(args, "--package", "other"), io.Discard)
	if cli.ExitCode(err) != 2 || !strings.Contains(err.Error(), "holds package dense") {
		t.Errorf("another package name: %v", err)
	}
}

// TestPackageAfter: a folder whose name is no identifier has a package all the same.
func TestPackageAfter(t *testing.T) {
	for folder, want := range map[string]string{"dense": "dense", "tmp.x7": "tmpx7", "1abc": "abc", "my-kernels": "mykernels", "Dense Kernels": "densekernels", "a_b": "a_b", "_x": "x",
		"func": "", "main": "", "123": "", "-": "", "größe": "größe"} {
		if have := specfile.PackageAfter(folder); have != want {
			t.Errorf("%q: %q, want %q", folder, have, want)
		}
	}
	if !level.RunsGo() {
		return
	}
	out := filepath.Join(t.TempDir(), "tmp.x7")
	args := []string{"gen", "gemm", "--name", "X", "--targets", "avx2", "--out", out}
	var log bytes.Buffer
	if err := execute(t.Context(), args, io.Discard, &log); err != nil || log.String() != "tilesmith: "+out+", package tmpx7: wrote 4 files\n" {
		t.Errorf("%v, and it says %q", err, &log)
	}
	if text, err := os.ReadFile(filepath.Join(out, "x_gen.go")); err != nil || !strings.Contains(string(text), "\npackage tmpx7\n") {
		t.Errorf("x_gen.go: %v\n%s", err, text)
	}
	log.Reset()
	if err := execute(t.Context(), args, io.Discard, &log); err != nil || !strings.HasSuffix(log.String(), ": wrote 0 files, 4 are unchanged\n") {
		t.Errorf("again: %v, and it says %q", err, &log)
	}
	// A difference is data: it goes to stdout, and the error is a sentence.
	if err := os.WriteFile(filepath.Join(out, "x_gen.go"), []byte("// Code generated by tilesmith from tilesmith gen gemm --name X; DO NOT EDIT.\n\npackage tmpx7\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var diff bytes.Buffer
	err := execute(t.Context(), append(args, "--check"), &diff, io.Discard)
	if cli.ExitCode(err) != 1 || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(diff.String(), "x_gen.go differs") || !strings.Contains(diff.String(), "\n+") {
		t.Errorf("%v, and on stdout there is\n%s", err, &diff)
	}
}

// TestOnlyLine: two go:generate lines of a package may not generate one name; the same line
// twice, other names and other folders are no matter.
func TestOnlyLine(t *testing.T) {
	level.E2E(t)
	const line = "//go:" + "generate go tool tilesmith gen "
	for lines, want := range map[string]string{
		"gemm --name X --types f32,f32,f32,f32|gemm --types f64,f64,f64,f64 --name=X": "a.go:3 and %s:4 both generate X here",
		"gemm --name X|spmm --name X --out ./":                                        "both generate X",
		"gemm --name X|gemm --name X|gemm --name Y|gemm --name X --out=other --types": "",
	} {
		text := "package p\n\n"
		for l := range strings.SplitSeq(lines, "|") {
			text += line + l + "\n"
		}
		dir := clitest.Folder(t, map[string]string{"a.go": text})
		err := dispatch([]string{"gen", "gemm", "--name", "X", "--targets", "avx2", "--out", dir}, io.Discard)
		if want = strings.ReplaceAll(want, "%s", filepath.Join(dir, "a.go")); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", lines, err, want)
		}
	}
}

// TestNamesOfFolder: what a package declares is looked at where files are written to.
func TestNamesOfFolder(t *testing.T) {
	level.E2E(t)
	dir := clitest.Folder(t, map[string]string{"a.go": "package p\n\nvar layout int\n"})
	args := []string{"gen", "gemm", "--name", "X", "--targets", "avx2", "--out", dir}
	if err := dispatch(args, io.Discard); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "x_gen.go")); err != nil || !strings.Contains(string(text), `layoutpkg "`) {
		t.Errorf("x_gen.go imports package layout by the name of a variable: %v\n%s", err, text)
	}
}
