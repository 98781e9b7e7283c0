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

	"github.com/tilesmith/tilesmith/gen/unit"
)

// aliased is the name that a file imports a package by whose own name something else has.
func aliased(name string) string { return name + suffix }

const suffix = "pkg"

// importName is the name by which an import, as a unit has it, is known in a file.
func importName(p string) string {
	name, at := splitImport(p)
	return cmp.Or(name, path.Base(at))
}

// withAliases are known imports, those of everywhere, and both by the names of aliases.
func withAliases(known []string) []string {
	all := slices.Concat(known, everywhere)
	for _, p := range all {
		_, at := splitImport(p)
		all = append(all, aliased(importName(p))+" "+at)
	}
	return all
}

// renamePackages returns declarations in which the packages whose names are taken are named by
// their aliases. taken is given the name that a selection begins with, and what it stands
// for in the text, nil if that is not declared there.
func renamePackages(decls string, known []string, taken func(name string, is *ast.Object) bool) (string, error) {
	const head = "package p\n"
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", head+decls, parser.ParseComments)
	if err != nil {
		return "", err
	}
	packages := map[string]bool{}
	for _, p := range slices.Concat(known, everywhere) {
		packages[importName(p)] = true
	}
	var at []int
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && packages[x.Name] && taken(x.Name, x.Obj) {
				at = append(at, fset.Position(x.End()).Offset-len(head))
			}
		}
		return true
	})
	slices.Sort(at)
	var b strings.Builder
	from := 0
	for _, end := range at {
		b.WriteString(decls[from:end] + suffix)
		from = end
	}
	return b.String() + decls[from:], nil
}

// unshadow names by their aliases the packages in a function whose names its parameters of
// an epilogue have, which a user named. A body selects from a package or from something that
// it has named itself, never from one of those.
func unshadow(text string, known []string, ps []unit.Param) (string, error) {
	names := map[string]bool{}
	for _, p := range ps {
		if p.Role != unit.Factor {
			names[p.Name] = true
		}
	}
	if !slices.ContainsFunc(slices.Concat(known, everywhere), func(p string) bool { return names[importName(p)] }) {
		return text, nil
	}
	text, err := renamePackages(text, known, func(name string, is *ast.Object) bool { return is != nil && names[name] })
	if err != nil {
		return "", fmt.Errorf("a function of the unit is no Go: %w", err)
	}
	return text, nil
}
