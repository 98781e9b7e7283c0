package specfile

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// Check refuses what cannot be a spec file.
func Check(spec string) error {
	info, err := os.Stat(spec)
	if err != nil {
		return fmt.Errorf("there is no spec file: %w", err)
	}
	if !info.Mode().IsRegular() || filepath.Ext(spec) != ".go" {
		return fmt.Errorf("%s is not a Go file; a spec is a Go program that calls gen.Main", spec)
	}
	// The go command builds no file of such a name.
	switch name := filepath.Base(spec); {
	case strings.HasSuffix(name, "_test.go"):
		return fmt.Errorf("%s: the go command takes a file whose name ends in _test.go for a test; rename it, as in %s_spec.go", spec, strings.TrimSuffix(name, "_test.go"))
	case name[0] == '.' || name[0] == '_':
		return fmt.Errorf("%s: the go command ignores files whose names begin with %q; rename it, as in %s", spec, name[:1], cmp.Or(strings.Trim(strings.TrimSuffix(name, ".go"), "._"), "spec")+".go")
	}
	f, err := parseFile(spec)
	if err != nil {
		return err
	}
	if f.Name.Name != "main" {
		return fmt.Errorf("%s: package %s; a spec file is a program and says package main", spec, f.Name.Name)
	}
	if !ignored(f) {
		return fmt.Errorf("%s: a spec file begins with the line //go:build ignore, or it is part of the package that it generates into", spec)
	}
	return nil
}

// PackageName reads the name of the package in dir from its files, leaving out
// those that a build ignores: the spec is one. A package that uses cgo is
// refused, since it cannot hold Go assembly.
func PackageName(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	name, from := "", ""
	for _, e := range entries {
		n := e.Name()
		if e.IsDir() || !strings.HasSuffix(n, ".go") || strings.HasSuffix(n, "_test.go") || n[0] == '.' || n[0] == '_' {
			continue
		}
		path := filepath.Join(dir, n)
		f, err := parseFile(path)
		if err != nil {
			return "", err
		}
		if ignored(f) {
			continue
		}
		for _, imp := range f.Imports {
			if imp.Path.Value == `"C"` {
				return "", fmt.Errorf("%s:%d: the package uses cgo, and a package with cgo cannot hold Go assembly; put the spec into a sub-package",
					path, lineOf(path, imp.Pos()))
			}
		}
		if name != "" && f.Name.Name != name {
			return "", fmt.Errorf("%s is package %s and %s is package %s; it is unclear which one the spec is for", from, name, path, f.Name.Name)
		}
		name, from = f.Name.Name, path
	}
	if name == "" {
		return "", NoPackageError{dir}
	}
	return name, nil
}

// lineOf is the line of an offset in a file that was parsed alone.
func lineOf(path string, pos token.Pos) int {
	text, _ := os.ReadFile(path) // it was just read
	return 1 + strings.Count(string(text[:min(int(pos)-1, len(text))]), "\n")
}

// A noPackageError says that a folder has no Go package.
type NoPackageError struct{ dir string }

func (e NoPackageError) Error() string {
	return e.dir + " has no Go package to generate into; add a file with a package clause and the go:generate line"
}

// parseFile reads the head of a Go file. Reading a pipe of such a name would not end, and a
// link to nothing needs a better message than that it is not there.
func parseFile(path string) (*ast.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		if link, no := os.Lstat(path); no == nil && link.Mode()&os.ModeSymlink != 0 && errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s is a symbolic link to nothing; remove it", path)
		}
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is in the way: it is not a regular file; remove it", path)
	}
	return parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly|parser.ParseComments)
}

// ignored reports whether the file's build constraint asks for the tag ignore.
func ignored(f *ast.File) bool {
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() > f.Package || !constraint.IsGoBuild(c.Text) {
				continue
			}
			x, err := constraint.Parse(c.Text)
			if err != nil {
				return false
			}
			with := x.Eval(func(string) bool { return true })
			return with && !x.Eval(func(tag string) bool { return tag != "ignore" })
		}
	}
	return false
}

// PackageAfter is the name of a package in a folder of some name. It is the letters and
// digits of the name, from the first letter on, in lower case: mykernels in my-kernels and
// tmpx7 in tmp.x7. It is "" if that is not a name, or one that Go has taken.
func PackageAfter(folder string) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, folder)
	name = strings.TrimLeftFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
	if !token.IsIdentifier(name) || name == "main" {
		return ""
	}
	return name
}
