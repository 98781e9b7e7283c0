package gentest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// A recorder is a test whose failures are looked at. The real one goes on.
type recorder struct {
	testing.TB
	text   string
	failed bool
}

func (r *recorder) Errorf(format string, args ...any) {
	r.text, r.failed = fmt.Sprintf(format, args...), true
}

func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...); panic(r) }
func (r *recorder) Skip(args ...any)                  { r.text = fmt.Sprint(args...); panic(r) }

// record runs UpToDate and returns what it said.
func record(t *testing.T, spec string) (r *recorder) {
	t.Helper()
	r = &recorder{TB: t}
	defer func() {
		if x := recover(); x != nil && x != any(r) {
			panic(x)
		}
	}()
	UpToDate(r, spec)
	return r
}

// module makes a module that uses tilesmith as a user's does.
func module(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	// A list without gaps: to fill one, the go command would fetch more than the tests need.
	_, needs, _ := strings.Cut(string(ours), "\nrequire (")
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/shop\n\ngo 1.26.0\n\nrequire github.com/tilesmith/tilesmith v0.0.0\n\nrequire (" + needs +
			"\nreplace github.com/tilesmith/tilesmith => " + root + "\n\ntool " + command + "\n",
		"go.sum": string(sum),
		"doc.go": "// Package layers has layers.\npackage layers\n",
		"spec.go": `//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
)

func scale(acc, by float32) float32 { return acc * by }

func main() {
	gen.Main(gemm.Spec[float32, float32, float32, float32]{Name: "Scaled", Epilogue: gemm.Map2(scale, gemm.PerRow[float32]("by"))})
}
`,
	} {
		put(t, dir, name, text)
	}
	for _, e := range []string{"GOFLAGS=-mod=mod -buildvcs=false", "GOWORK=off", "CGO_ENABLED=0"} {
		name, value, _ := strings.Cut(e, "=")
		t.Setenv(name, value)
	}
	return dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestUpToDate edits the function of an epilogue: the check fails with the
// difference, until the package is generated again.
func TestUpToDate(t *testing.T) {
	level.E2E(t)
	dir := module(t)
	spec := filepath.Join(dir, "spec.go")
	if r := record(t, spec); !r.failed || !strings.Contains(r.text, "layers_gen.go is missing") || !strings.Contains(r.text, "run go generate") {
		t.Errorf("before the first go generate: %s", r.text)
	}
	generate(t, dir)
	if r := record(t, spec); r.failed {
		t.Errorf("fails though all is up to date: %s", r.text)
	}
	text, err := os.ReadFile(spec)
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, "spec.go", strings.Replace(string(text), "return acc * by", "return acc - by", 1))
	r := record(t, spec)
	for _, want := range []string{"layers_gen.go differs", "-func scaledScaleFn(acc, by float32) float32 { return acc * by }",
		"+func scaledScaleFn(acc, by float32) float32 { return acc - by }", "layers_gen_amd64.s differs", "-\tVMULPS", "+\tVSUBPS"} {
		if !r.failed || !strings.Contains(r.text, want) {
			t.Errorf("after editing the function, %q is missing:\n%s", want, r.text)
		}
	}
	if strings.Contains(r.text, "exit status") {
		t.Errorf("the exit status is no news:\n%s", r.text)
	}
	if os.Getenv("TILESMITH_LONG") != "1" {
		return // what follows is as after the first go generate
	}
	generate(t, dir)
	if r := record(t, spec); r.failed {
		t.Errorf("fails after go generate: %s", r.text)
	}
}

func generate(t *testing.T, dir string) {
	t.Helper()
	if out, err := runTool(dir, "run", "spec.go"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestCannotTell holds what is said where nothing can be compared.
func TestCannotTell(t *testing.T) {
	if r := record(t, "none.go"); !r.failed || !strings.Contains(r.text, "name the spec file") {
		t.Errorf("a spec that is not there: %s", r.text)
	}
	t.Setenv("PATH", t.TempDir())
	if r := record(t, "gentest.go"); r.failed || !strings.Contains(r.text, "not in PATH") {
		t.Errorf("without the go command: %s", r.text)
	}
}
