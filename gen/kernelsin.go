package gen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
)

// kernelsIn reads the names of the kernels that a spec file makes. all is false if there may
// be more. The text says them if every argument of gen.Main is a literal of one of our types with
// a Name. A file that is not a spec has none.
func kernelsIn(text []byte) (names []string, all bool) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments)
	if err != nil {
		return nil, false
	}
	if file.Name.Name != "main" || !apart(file) {
		return nil, true
	}
	paths := map[string]string{}
	for _, i := range file.Imports {
		at, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return nil, false
		}
		name := importName(at)
		if i.Name != nil {
			name = i.Name.Name
		}
		paths[name] = at
	}
	// from is the path of the package that an expression selects from, and what.
	from := func(e ast.Expr) (at, what string) {
		if s, ok := e.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil {
				return paths[x.Name], s.Sel.Name
			}
		}
		return "", ""
	}
	calls := 0
	all = true
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if at, what := from(call.Fun); at != unit.Module+"gen" || what != "Main" {
			return true
		}
		calls++
		for _, arg := range call.Args {
			name, ok := literalName(arg, func(typ ast.Expr) bool {
				at, _ := from(typ)
				return strings.HasPrefix(at, unit.Module)
			})
			names, all = append(names, name), all && ok
		}
		return true
	})
	return names, all && calls == 1
}

// literalName is the field Name of a composite literal of a type that ours accepts.
func literalName(e ast.Expr, ours func(typ ast.Expr) bool) (name string, ok bool) {
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return "", false
	}
	typ := lit.Type
	switch t := typ.(type) {
	case *ast.IndexExpr:
		typ = t.X
	case *ast.IndexListExpr:
		typ = t.X
	}
	if !ours(typ) {
		return "", false
	}
	for _, field := range lit.Elts {
		kv, ok := field.(*ast.KeyValueExpr)
		if !ok {
			return "", false
		}
		if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Name" {
			value, ok := kv.Value.(*ast.BasicLit)
			if !ok {
				return "", false
			}
			name, err := strconv.Unquote(value.Value)
			return name, err == nil
		}
	}
	return "", false
}
