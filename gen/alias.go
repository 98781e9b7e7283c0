package gen

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
)

// suffix is what a file appends to the name of a package where something else has that name.
const suffix = "pkg"

// importName is the name by which an import, as a unit has it, is known in a file.
func importName(p string) string {
	name, at := splitImport(p)
	return cmp.Or(name, path.Base(at))
}

// renamePackages returns declarations in which the packages whose names are taken are named by
// aliases, and the imports of these. taken is given the name that a selection begins with, and what it
// stands for in the text, nil if that is not declared there. An alias is a name that neither the text
// nor others have.
func renamePackages(decls string, known []string, taken func(name string, is *ast.Object) bool, others map[string]bool) (text string, imports []string, err error) {
	const head = "package p\n"
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", head+decls, parser.ParseComments)
	if err != nil {
		return "", nil, err
	}
	packages := map[string]string{}
	for _, p := range slices.Concat(known, everywhere) {
		if name := importName(p); packages[name] == "" { // the first of a name is meant
			_, packages[name] = splitImport(p)
		}
	}
	here := map[string]bool{}
	var at []*ast.Ident
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			here[n.Name] = true
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && packages[x.Name] != "" && taken(x.Name, x.Obj) {
				at = append(at, x)
			}
		}
		return true
	})
	slices.SortFunc(at, func(a, b *ast.Ident) int { return cmp.Compare(a.Pos(), b.Pos()) })
	alias := map[string]string{}
	var b strings.Builder
	from := 0
	for _, x := range at {
		name := alias[x.Name]
		if name == "" {
			for name = x.Name + suffix; here[name] || others[name]; {
				name += suffix
			}
			alias[x.Name] = name
			imports = append(imports, name+" "+packages[x.Name])
		}
		end := fset.Position(x.End()).Offset - len(head)
		b.WriteString(decls[from:end] + name[len(x.Name):])
		from = end
	}
	return b.String() + decls[from:], imports, nil
}

// unshadow names by their aliases the packages in a function whose names its parameters of
// unshadow names by their aliases the packages in a function whose names its parameters of
// an epilogue have, which a user named, and returns the imports of the aliases. A body selects
// from a package or from something that it has named itself, never from one of those.
func unshadow(text string, known []string, ps []unit.Param, others map[string]bool) (string, []string, error) {
	names := map[string]bool{}
	for _, p := range ps {
		if p.Role != unit.Factor {
			names[p.Name] = true
		}
	}
	if !slices.ContainsFunc(slices.Concat(known, everywhere), func(p string) bool { return names[importName(p)] }) {
		return text, nil, nil
	}
	text, imports, err := renamePackages(text, known, func(name string, is *ast.Object) bool { return is != nil && names[name] }, others)
	if err != nil {
		return "", nil, fmt.Errorf("a function of the unit is no Go: %w", err)
	}
	return text, imports, nil
}
