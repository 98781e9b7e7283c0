package gen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
)

// declared are the names that the files of specs bring into a package, and the spec of
// each.
type declared map[string]string

// add takes in files of a spec, and refuses a name that another spec has brought.
func (d declared) add(spec string, files []File) error {
	for _, f := range files {
		if !strings.HasSuffix(f.Name, ".go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Data, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		names := topLevel(tree)
		for i, name := range names {
			if name == "init" { // of which there may be any number
				continue
			}
			if slices.Contains(names[:i], name) {
				return fmt.Errorf("%s: %s declares %s twice", spec, f.Name, name)
			}
			key := path.Dir(f.Name) + "." + name
			if other, ok := d[key]; ok && other != spec {
				return fmt.Errorf("specs %q and %q both declare %s; rename one", other, spec, name)
			}
			d[key] = spec
		}
	}
	return nil
}

// topLevel are the names that a file declares in its package.
func topLevel(f *ast.File) []string {
	var names []string
	add := func(ids ...*ast.Ident) {
		for _, id := range ids {
			if id.Name != "_" {
				names = append(names, id.Name)
			}
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					add(s.Names...)
				case *ast.TypeSpec:
					add(s.Name)
				}
			}
		}
	}
	return names
}
