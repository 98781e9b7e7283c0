package e2e

import (
	"go/ast"
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
			out, err := tool.Go(root, []string{level.E2EVariable + "=1"}, "test", "-vet=off", "-v", "-run", "^("+strings.Join(names, "|")+")$", "./"+pkg)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				if !strings.Contains(out, "--- PASS: "+name+" ") && !strings.Contains(out, "--- SKIP: "+name+" ") {
					t.Errorf("%s did not run:\n%s", name, out)
				}
			}
		})
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
		if !strings.HasSuffix(rel, "_test.go") {
			return nil
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
