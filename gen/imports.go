package gen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/gen/unit"
)

// everywhere are the packages that the text of any unit may name; those that it lists itself
// come before them.
var everywhere = []string{
	"cmp", "errors", "fmt", "math", "slices", "testing",
	unit.Module + "cpu/run", unit.Module + "cpu/run/dense", unit.Module + "cpu/run/spblas",
	unit.Module + "layout", unit.Module + "layout/dtype", unit.Module + "layout/semiring", unit.Module + "sparse", unit.Module + "verify/check",
}

// importsOf lists which of the packages known, and of everywhere, declarations name.
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
	for _, p := range slices.Concat([]string{"_ embed"}, known, everywhere) {
		name, _, ok := strings.Cut(p, " ")
		if !ok {
			name = path.Base(p)
		}
		if used[name] {
			paths = append(paths, p)
			used[name] = false // the first of a name is meant
		}
	}
	return paths, nil
}

// imports writes an import block: the standard library's packages, then the others.
func (p *printer) imports(paths []string) {
	switch len(paths) {
	case 0:
		return
	case 1:
		name, at, named := strings.Cut(paths[0], " ")
		if !named {
			name, at = "", paths[0]
		}
		p.printf("import %s %q\n\n", name, at)
		return
	}
	var std, other []string
	for _, path := range paths {
		name, at, named := strings.Cut(path, " ")
		if !named {
			name, at = "", path
		}
		line := name + " \"" + at + "\""
		if first, _, _ := strings.Cut(at, "/"); strings.Contains(first, ".") {
			other = append(other, line)
		} else {
			std = append(std, line)
		}
	}
	p.printf("import (\n")
	for _, list := range [][]string{std, other} {
		slices.Sort(list)
		p.printf("%s\n\n", strings.Join(list, "\n"))
	}
	p.printf(")\n\n")
}
