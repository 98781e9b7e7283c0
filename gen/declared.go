package gen

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// declared are the names that the files of specs bring into a package, and the spec of
// each; and the same for every single file.
type declared map[string]string

// add takes in what a spec has in files, and refuses a name that another spec has brought.
func (d declared) add(spec string, sections []section) error {
	for _, x := range sections {
		if !strings.HasSuffix(x.file, ".go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), x.file, "package p\n"+x.text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, name := range topLevel(tree) {
			if name == "init" { // of which there may be any number
				continue
			}
			if inFile := x.file + "\x00" + name; d[inFile] == "" {
				d[inFile] = spec
			} else if d[inFile] == spec {
				return fmt.Errorf("%s: %s declares %s twice", spec, x.file, name)
			}
			key := path.Dir(x.file) + "." + name
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

// namesIn are the names that the files of a package declare in it, except generated ones. A
// file cannot import a package by any of them. A folder that cannot be read has none.
func namesIn(dir, pkg string) map[string]bool {
	names := map[string]bool{}
	files, _ := filepath.Glob(filepath.Join(cmp.Or(dir, "."), "*.go"))
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() { // a pipe would not end
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil || bytes.HasPrefix(text, []byte(mark)) {
			continue
		}
		tree, _ := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution|parser.ParseComments)
		if tree == nil || tree.Name == nil || tree.Name.Name != pkg || apart(tree) {
			continue
		}
		for _, name := range topLevel(tree) {
			names[name] = true
		}
	}
	return names
}

// apart reports whether a file is a program of its own: its build constraint asks for the tag
// ignore.
func apart(f *ast.File) bool {
	for _, group := range f.Comments {
		for _, c := range group.List {
			if x, err := constraint.Parse(c.Text); c.Pos() < f.Package && err == nil {
				return !x.Eval(func(tag string) bool { return tag != "ignore" }) && x.Eval(func(string) bool { return true })
			}
		}
	}
	return false
}
