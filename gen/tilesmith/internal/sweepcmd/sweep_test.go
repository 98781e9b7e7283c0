package sweepcmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/clitest"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/roof"
	"github.com/tilesmith/tilesmith/verify/sweep"
)

func TestSweepFlags(t *testing.T) {
	dir := clitest.Folder(t, map[string]string{"plain.go": "package p\n", "table.md": "no marks\n", "spec.go": clitest.Spec})
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		args string
		code int
		why  string
	}{
		{"sweep --nonsense", 2, "unknown flag"}, {"sweep --shapes 0", 2, "--shapes: "}, {"sweep --shapes 99999", 2, "operands and result may take"},
		{"sweep --ops NX", 2, "--ops: "}, {"sweep --isa mmx", 2, "--isa mmx: this machine has"}, {"sweep --threads 0", 2, "--threads 0"}, {"sweep --threads x", 2, "--threads x: one of its values is not a whole number; want whole numbers"},
		{"sweep --time 1us", 2, "--time 1µs"}, {"sweep --time 0s", 2, "--time 0s"}, {"sweep --count 0", 2, "--count 0"}, {"sweep --json --markdown", 2, "give one of them"}, {"sweep --kernels (", 2, "--kernels: "},
		{"sweep --types f8", 2, "--types f8"}, {"sweep --peers=none", 2, "no peer is called"}, {"sweep --peers openblas", 2, "write --peers=openblas"},
		{"sweep --update " + in("table.md"), 2, "give --peers"}, {"sweep --peers=gonum --update " + in("table.md"), 1, "want one line <!-- sweep -->"},
		{"sweep --peers=gonum --update " + in("none.md"), 1, "none.md"}, {"sweep --html " + in("no/where.html"), 1, "where.html: there is no folder "}, {"sweep --html " + dir, 1, "this is a folder"}, {"sweep --peers=gonum --update " + dir, 1, "not a regular file"},
		{"verify --shapes 1x2", 2, "has 2 sizes"}, {"verify --peers", 2, "unknown flag"}, {"verify " + in("none.go"), 1, "there is no spec file or folder"},
		{"verify " + in("plain.go"), 1, "package main"}, {"verify " + dir, 1, "has no spec"}, {"verify " + in("table.md"), 1, "not a Go file"}, {"verify --isa mmx " + in("none.go"), 2, "--isa mmx"},
	} {
		err := dispatch(strings.Fields(c.args), io.Discard)
		if err == nil || cli.ExitCode(err) != c.code || !strings.Contains(err.Error(), c.why) {
			t.Errorf("tilesmith %s: exit %d, %v; want %d and %q", c.args, cli.ExitCode(err), err, c.code, c.why)
		}
	}
}

// tiny is a sweep that takes a moment.
func tiny(change func(*sweepFlags)) *sweepFlags {
	o := &sweepFlags{config: sweep.Config{Kernels: "MatMul", Types: []string{"f32"}, Shapes: "16,8x9x10", ISAs: []string{"go"}, Time: 1e6}, count: 1, command: "tilesmith sweep --tiny"}
	// What is measured of the machine takes longer than all the rest.
	o.instruments = sweep.Instruments{
		Ceiling: func(string, dtype.Type, dtype.Type, int) roof.Ceiling { return roof.Ceiling{Rate: 1e11, By: "FMA"} },
		Levels:  func(string) []sweep.Level { return []sweep.Level{{Name: "memory", Read: 20}} },
		Machine: func() *machine.Machine { return machine.Reference("avx512") },
	}
	change(o)
	return o
}

// gonumISA is what gonum's own code is written in here.
var gonumISA = map[bool]string{true: "sse2", false: "go"}[runtime.GOARCH == "amd64"]

// TestSweepOutputs sweeps the stock kernels to each output, and leaves no other file.
func TestSweepOutputs(t *testing.T) {
	dir := clitest.Folder(t, map[string]string{"README.md": "# Speed\n\n<!-- sweep -->\nold\n\n### Another CPU\n\n| 1 |\n<!-- /sweep -->\n\nEnd.\n"})
	readme, html, svg := filepath.Join(dir, "README.md"), filepath.Join(dir, "page.html"), filepath.Join(dir, "page.svg")
	var bench, log bytes.Buffer
	o := tiny(func(o *sweepFlags) { o.update, o.html, o.svg, o.config.Peers = readme, html, svg, []string{"gonum"} })
	if err := o.sweep(clitest.Printing(t, &bench, &log), nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"goos: ", "\nUnit GFLOP/s better=higher\n", "\npkg: github.com/tilesmith/tilesmith/cpu\n",
		"\nBenchmarkGemm/kernel=MatMul/lib=tilesmith/type=f32/isa=go/op=NN/m=8/n=9/k=10/threads=1-", "\nBenchmarkGemm/kernel=MatMul/lib=gonum/type=f32/isa=" + gonumISA + "/op=NN/m=16/n=16/k=16/threads=1-", "\n# peer: gonum: "} {
		if !strings.Contains("\n"+bench.String(), want) {
			t.Errorf("benchmark lines lack %q:\n%s", want, &bench)
		}
	}
	if want := fmt.Sprintf("tilesmith: wrote %s\ntilesmith: wrote %s\ntilesmith: wrote %s\n", html, svg, readme); log.String() != want {
		t.Errorf("it is no terminal, and it says %q, want %q", &log, want)
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Speed\n\n<!-- sweep -->\n", "`tilesmith sweep --tiny`", "\n| MatMul, go, n or m x n x k | f32 GFLOP/s | of ceiling | times gonum |\n", "\n| 8 x 9 x 10 | ", "\n\n### Another CPU\n\n| 1 |\n<!-- /sweep -->\n\nEnd.\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("README.md lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "old") {
		t.Error("the old table is still there")
	}
	if text, err = os.ReadFile(html); err != nil || !bytes.HasPrefix(text, []byte("<!")) || !strings.Contains(string(text), "<svg") {
		t.Errorf("the page begins %q, %v", text[:min(len(text), 40)], err)
	}
	if text, err = os.ReadFile(svg); err != nil || !bytes.HasPrefix(text, []byte("<svg")) && !bytes.HasPrefix(text, []byte("<?xml")) {
		t.Errorf("the picture begins %q, %v", text[:min(len(text), 40)], err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 3 {
		t.Errorf("files are %v", entries)
	}

	var out bytes.Buffer
	if err := tiny(func(o *sweepFlags) { o.form = cli.FormJSON }).sweep(clitest.Printing(t, &out, io.Discard), nil); err != nil {
		t.Fatal(err)
	}
	records := ""
	for line := range strings.Lines(out.String()) {
		var r struct{ Record string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		records += r.Record + " "
	}
	if records != "machine point point " {
		t.Errorf("records are %s", records)
	}
	out.Reset()
	if err := tiny(func(o *sweepFlags) { o.readme = true }).sweep(clitest.Printing(t, &out, io.Discard), nil); err != nil || !strings.Contains(out.String(), "\n| 16 | ") || strings.Contains(out.String(), "Benchmark") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// TestPeerNotes: sweep says once, and not among data, that a library chose kernels for an
// older core, and what to set.
func TestPeerNotes(t *testing.T) {
	var out, log bytes.Buffer
	c := &collector{next: &benchSink{sweep.Bench{W: &out}}, warn: &log}
	m := &sweep.Machine{Peers: []sweep.Peer{{Name: "blis", ISA: "sse2", Note: "it runs sse2 code; start with BLIS_ARCH_TYPE=0"}, {Name: "mkl", ISA: "avx512"}}}
	for range 2 {
		if err := c.Machine(m); err != nil {
			t.Fatal(err)
		}
	}
	if want := "tilesmith: blis: it runs sse2 code; start with BLIS_ARCH_TYPE=0\n"; log.String() != want {
		t.Errorf("it says %q, want %q", &log, want)
	}
}

// TestVerifyStock holds what verify prints.
func TestVerifyStock(t *testing.T) {
	var out bytes.Buffer
	c := &sweep.Config{Verify: true, Kernels: "SpMV", Types: []string{"f64"}, Shapes: "7x1x9"}
	if err := verifySpecs(clitest.Printing(t, &out, io.Discard), c, nil, cli.FormTable); err != nil || !strings.Contains(out.String(), "ok     SpMV") || !strings.Contains(out.String(), "and 1 points") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// TestWrong holds the exit code and the sentence of a mismatch.
func TestWrong(t *testing.T) {
	c := &collector{next: sweep.JSON{W: io.Discard}}
	for range 2 {
		if err := c.Result(&sweep.Result{Kernel: "X", Types: "f32", Point: sweep.Point{ISA: "go", Workload: sweep.Workload{Op: "NN", M: 1, N: 2, K: 3}}, Mismatch: "panic: no\nstack"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Verdict(&sweep.Verdict{Kernel: "Y", Failures: []string{"element (0, 1)"}}); err != nil {
		t.Fatal(err)
	}
	err := c.wrong()
	if cli.ExitCode(err) != 1 || !strings.Contains(err.Error(), "X f32 isa=go NN m=1 n=2 k=3: panic: no; and 2 more") {
		t.Errorf("exit %d, %v", cli.ExitCode(err), err)
	}
	if err := (&collector{}).wrong(); err != nil {
		t.Error(err)
	}
}

// TestReadTests holds what is made of the output of go test -v.
func TestReadTests(t *testing.T) {
	const text = `=== RUN   TestMatMulBF16
=== RUN   TestMatMulBF16/shape
--- PASS: TestMatMulBF16 (1.50s)
    --- PASS: TestMatMulBF16/shape (0.10s)
=== RUN   TestDense
    dense_test.go:7: element (0, 1): have 1, want 2
--- FAIL: TestDense (0.25s)
=== RUN   TestSilent
--- FAIL: TestSilent (0.00s)
=== RUN   TestNone
    x_test.go:7: no such machine
--- SKIP: TestNone (0.00s)
=== RUN   TestPanic
panic: runtime error: index out of range

goroutine 7 [running]:
FAIL
`
	have, err := readTests(strings.NewReader(text))
	want := []sweep.Verdict{
		{Kernel: "MatMulBF16", Seconds: 1.5}, {Kernel: "Dense", Seconds: .25, Failures: []string{"dense_test.go:7: element (0, 1): have 1, want 2"}},
		{Kernel: "Silent", Failures: []string{"the test failed and did not say why"}}, {Kernel: "None", Skipped: "x_test.go:7: no such machine"},
		{Kernel: "?", Failures: []string{"panic: runtime error: index out of range"}},
	}
	if d := cmp.Diff(want, have); d != "" || err != nil {
		t.Error(d, err)
	}
}

// TestKernelIn finds the kernel in every generated test of the repository.
func TestKernelIn(t *testing.T) {
	seen := map[string]int{}
	for _, pattern := range []string{"../../../examples/fused/*_test.go", "../../../examples/graph/*_test.go", "../../../examples/small/*_test.go", "../../../../cpu/kern/gemm*/*_test.go"} {
		for _, dir := range []string{filepath.Dir(pattern)} {
			folders, err := filepath.Glob(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, folder := range folders {
				for _, file := range generatedTests(folder) {
					specs, err := specsIn(file)
					if err != nil || len(specs) == 0 {
						t.Fatalf("%s: %d specs, %v", file, len(specs), err)
					}
					for _, s := range specs {
						k, ok := kernelIn(s.File)
						if strings.Contains(folder, "gemmc") { // complex products are not timed: their own tests are run
							if ok || len(testsIn(s.File)) == 0 {
								t.Errorf("%s, %s: kernel %v, tests %v", file, s.spec, k, testsIn(s.File))
							}
							continue
						}
						if !ok || !strings.EqualFold(k.name, s.spec) { // functions of cases begin with a small letter
							t.Errorf("%s, %s: kernel %q", file, s.spec, k.name)
						}
						kind, _, _ := strings.Cut(k.expr, "(")
						seen[kind]++
					}
				}
			}
		}
	}
	for _, kind := range []string{"Dense", "Of", "Fixed", "Mixed"} {
		if seen["tilesmithSweep."+kind] == 0 {
			t.Errorf("no %s among %v", kind, seen)
		}
	}
}

func TestCommandLine(t *testing.T) {
	for arg0, name := range map[string]string{"tilesmith": "tilesmith", "/usr/bin/tilesmith": "tilesmith", `C:\go-build\58\` + strings.Repeat("58cab29f", 8) + `-d\tilesmith.exe`: "go tool tilesmith",
		"/home/x/cache/58/" + strings.Repeat("58cab29f", 8) + "-d/tilesmith": "go tool tilesmith"} {
		if have, want := commandLine(arg0, []string{"sweep", "x.go"}), name+" sweep x.go"; have != want {
			t.Errorf("%s: %s, want %s", arg0, have, want)
		}
	}
	if have, want := commandLine("tilesmith", []string{"sweep", "--kernels", "^Sp", "a b", "x.go"}), `tilesmith sweep --kernels ^Sp "a b" x.go`; have != want {
		t.Errorf("%s, want %s", have, want)
	}
}

// treeOf is every file below dir, by path.
func treeOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			files[path+"/"] = ""
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func dispatch(args []string, out io.Writer) error {
	return clitest.Dispatch(args, out, SweepCommand(), VerifyCommand())
}

// TestApart: neither the page nor the picture is written over by the other.
func TestApart(t *testing.T) {
	if _, err := (&sweepFlags{html: "f", svg: "f"}).files(); !errors.As(err, new(cli.UsageError)) {
		t.Error(err)
	}
}
