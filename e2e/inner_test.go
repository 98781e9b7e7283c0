package e2e

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/e2e/internal/tool"
	"github.com/tilesmith/tilesmith/internal/level"
)

// maySkip says why a test of TestInner may be skipped, in what it prints. No other may be.
var maySkip = map[string][]string{
	"emit/amd64.TestNative":         {"this machine has no AVX2"},
	"emit/arm64.TestNative":         {"there is neither an arm64 nor qemu-aarch64 here"},
	"emit/vmath.TestNative":         {"this machine has no AVX2"},
	"gen/fn.TestEvaluator":          {"the compiler fuses products here"},
	"gen/tilesmith.TestTerminal":    {"there are no pseudo-terminals"},
	"gen/tilesmith.TestInterrupted": {"there are no pseudo-terminals"},
	"cpu/comm/mpi.TestPower":        {"no programs are started here"},
}

// TestInner runs those tests of the main module that run the go command but need what their packages do not export.
// They call level.E2E or level.RunsGo.
func TestInner(t *testing.T) {
	if testing.Short() {
		t.Skip("builds tests and programs")
	}
	root, err := tool.Root()
	if err != nil {
		t.Fatal(err)
	}
	inner := innerTests(t, root)
	if len(inner["gen/tilesmith"]) < 5 || len(inner["gen/fn"]) < 3 {
		t.Fatalf("found %v only", inner)
	}
	for pkg, names := range inner {
		t.Run(pkg, func(t *testing.T) {
			t.Parallel()
			out, err := tool.Go(root, []string{level.E2EVariable + "=1"}, "test", "-vet=off", "-v", "-run", "^("+strings.Join(names, "|")+")$", "./"+pkg)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				if why := unrun(out, name, maySkip[pkg+"."+name]); why != "" {
					t.Errorf("%s %s:\n%s", name, why, out)
				}
			}
		})
	}
}

// unrun says what is wrong if the output of go test -v does not show that a test passed, or was skipped for one of reasons.
func unrun(out, name string, reasons []string) string {
	if strings.Contains(out, "\n--- PASS: "+name+" (") {
		return ""
	}
	_, skipped, ok := strings.Cut(out, "\n--- SKIP: "+name+" (")
	if !ok {
		return "did not run"
	}
	before, _, _ := strings.Cut(out, "\n--- SKIP: "+name+" (")
	run := before[max(0, strings.LastIndex(before, "=== RUN   "+name+"\n")):]
	next, _, _ := strings.Cut(skipped, "\n=== ")
	for _, reason := range reasons {
		if strings.Contains(run+next, reason) {
			return ""
		}
	}
	return "is skipped"
}

// TestUnrun: a test that is skipped counts as run for the reasons of a table only.
func TestUnrun(t *testing.T) {
	const out = "=== RUN   TestA\n--- PASS: TestA (0.10s)\n=== RUN   TestB\n    b_test.go:7: no disk here\n--- SKIP: TestB (0.00s)\n" +
		"=== RUN   TestC\n    c_test.go:7: short\n--- SKIP: TestC (0.00s)\n=== RUN   TestLonger\n--- PASS: TestLonger (0.00s)\nPASS\n"
	for _, c := range []struct{ name, want string }{
		{"TestA", ""}, {"TestB", ""}, {"TestC", "is skipped"}, {"TestLong", "did not run"}, {"TestD", "did not run"},
	} {
		if have := unrun(out, c.name, []string{"no disk", "no room"}); have != c.want {
			t.Errorf("%s: %q, want %q", c.name, have, c.want)
		}
	}
}

// innerTests finds the tests by their package.
func innerTests(t *testing.T, root string) map[string][]string {
	t.Helper()
	inner := map[string][]string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel != "." && strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"e2e", "gen/examples", "internal/level"}, rel) || d.Name() == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		if match, err := build.Default.MatchFile(filepath.Dir(file), d.Name()); err != nil || !match || !strings.HasSuffix(rel, "_test.go") {
			return err // for another system
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Test") && asksLevel(fn) {
				inner[path.Dir(rel)] = append(inner[path.Dir(rel)], fn.Name.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return inner
}

// asksLevel reports whether a test calls level.E2E or level.RunsGo.
func asksLevel(fn *ast.FuncDecl) (found bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			x, ok := s.X.(*ast.Ident)
			found = found || ok && x.Name == "level" && (s.Sel.Name == "E2E" || s.Sel.Name == "RunsGo")
		}
		return true
	})
	return found
}
