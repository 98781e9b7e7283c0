package gen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
)

// everywhere are the packages that the text of any unit may name; those that it lists itself
// come before them.
var everywhere = []string{
	"cmp", "errors", "fmt", "math", "slices", "testing",
	unit.Module + "cpu/run", unit.Module + "cpu/run/epilogue", unit.Module + "cpu/run/dense", unit.Module + "cpu/run/dense/blocks", unit.Module + "cpu/run/dense/fixed",
	unit.Module + "cpu/run/spblas/attention", unit.Module + "cpu/run/spblas/graph", unit.Module + "cpu/run/spblas/rows",
	unit.Module + "layout", unit.Module + "layout/dtype", unit.Module + "layout/reduce", unit.Module + "layout/semiring", unit.Module + "layout/triangle", unit.Module + "sparse", unit.Module + "sparse/format", unit.Module + "sparse/mask", unit.Module + "sparse/rule", unit.Module + "sparse/sample", unit.Module + "tiling", unit.Module + "tiling/kernel", unit.Module + "verify/check",
}

// importsOf lists which of the packages known declarations name.
func importsOf(decls string, known []string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+decls, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{"_": strings.Contains(decls, "\n//go:embed ") || strings.HasPrefix(decls, "//go:embed ")}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil {
				used[x.Name] = true
			}
		}
		return true
	})
	var paths []string
	for _, p := range append([]string{"_ embed"}, known...) {
		name := importName(p)
		if used[name] {
			paths = append(paths, p)
			used[name] = false // the first of a name is meant
		}
	}
	return paths, nil
}

// splitImport is the name, which may be "", and the path of an import as a unit has it.
func splitImport(p string) (name, at string) {
	if name, at, ok := strings.Cut(p, " "); ok {
		return name, at
	}
	return "", p
}

// imports writes an import block: the standard library's packages, then the others.
func (p *printer) imports(paths []string) {
	var std, other []string
	for _, path := range paths {
		name, at := splitImport(path)
		line := fmt.Sprintf("%s %q", name, at)
		if first, _, _ := strings.Cut(at, "/"); strings.Contains(first, ".") {
			other = append(other, line)
		} else {
			std = append(std, line)
		}
	}
	switch len(paths) {
	case 0:
	case 1:
		p.printf("import %s\n\n", slices.Concat(std, other)[0])
	default:
		slices.Sort(std)
		slices.Sort(other)
		p.printf("import (\n%s\n\n%s\n)\n\n", strings.Join(std, "\n"), strings.Join(other, "\n"))
	}
}
