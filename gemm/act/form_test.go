package act

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// used is what the documentation says of package math.
var used = []string{"Abs", "Erfc", "Exp", "Expm1", "Log1p", "Tanh"}

// TestForm holds the sources to what a translator reads as operations of type T:
// no import but math, every call of it as T(math.F(float64(x))) with a variable x,
// no other conversion but of a literal, no loop.
func TestForm(t *testing.T) {
	set := token.NewFileSet()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	var found []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if i.Path.Value != `"math"` {
				t.Errorf("import of %s", i.Path.Value)
			}
		}
		called := func(e ast.Expr) (name string, arg ast.Expr) {
			c, ok := e.(*ast.CallExpr)
			if !ok || len(c.Args) != 1 {
				return "", nil
			}
			var b strings.Builder
			if err := printer.Fprint(&b, set, c.Fun); err != nil {
				t.Error(err)
			}
			return b.String(), c.Args[0]
		}
		good := map[ast.Node]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				t.Errorf("%v: a loop", set.Position(n.Pos()))
			case *ast.CallExpr:
				outer, of := called(n)
				if _, constant := of.(*ast.BasicLit); constant && outer == "T" {
					return true
				}
				inner, arg := called(of)
				innermost, x := called(arg)
				_, variable := x.(*ast.Ident)
				switch f, isMath := strings.CutPrefix(inner, "math."); {
				case outer == "T" && isMath && innermost == "float64" && variable:
					good[of], good[arg] = true, true
					found = append(found, f)
				case outer == "T", !good[n] && (outer == "float64" || outer == "float32" || strings.HasPrefix(outer, "math.")):
					t.Errorf("%v: %s is not of the form T(math.F(float64(x)))", set.Position(n.Pos()), outer)
				}
			}
			return true
		})
	}
	slices.Sort(found)
	if found = slices.Compact(found); !slices.Equal(found, used) {
		t.Errorf("math's %v are used, the documentation says %v", found, used)
	}
}
