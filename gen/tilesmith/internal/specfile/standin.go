package specfile

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/internal/child"
)

// StandInFile is the name that the stand-ins of a package would have in it.
const StandInFile = "tilesmith_stand_in.go"

// StandIns lets a program import the package that its files are generated into,
// though that package already calls what is not generated yet. It shows go run one more
// file there, which declares the missing names. It returns the file for -overlay, "" if
// the program does not import that package or nothing is missing.
func StandIns(dir, spec string) (overlay string, done func(), err error) {
	done = func() {}
	names, pkg := MissingNames(dir)
	if len(names) == 0 {
		return "", done, nil
	}
	f, err := parseFile(spec)
	if err != nil {
		return "", done, err
	}
	self := ImportPath(dir)
	if !slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"`+self+`"` }) {
		return "", done, nil
	}
	return WriteOverlay(dir, map[string]string{StandInFile: StandIn(pkg, names)})
}

// StandIn is the text of the file. Its functions take whatever they are given: the
// generator compiles calls of them, it never runs any.
func StandIn(pkg string, names []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n", pkg)
	for _, n := range names {
		fmt.Fprintf(&b, "\nfunc %s(...any) {}\n", n)
	}
	return b.String()
}

// MissingNames lists what the package in dir uses without declaring it, by syntax
// alone.
func MissingNames(dir string) (names []string, pkg string) {
	declared := map[string]bool{}
	var used []*ast.Ident
	entries, _ := os.ReadDir(dir) // PackageName has read it
	for _, e := range entries {
		n := e.Name()
		if e.IsDir() || !strings.HasSuffix(n, ".go") || strings.HasSuffix(n, "_test.go") || n[0] == '.' || n[0] == '_' {
			continue
		}
		// The old resolver does all that is needed here: scopes of one file.
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, n), nil, parser.ParseComments)
		if err != nil || ignored(f) {
			continue
		}
		pkg = f.Name.Name
		for _, d := range f.Decls {
			declare(declared, d)
		}
		used = append(used, f.Unresolved...)
		ast.Inspect(f, func(n ast.Node) bool { // what a dot follows is an import
			if x, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := x.X.(*ast.Ident); ok {
					declared[id.Name] = true
				}
			}
			return true
		})
	}
	for _, id := range used {
		if !declared[id.Name] && types.Universe.Lookup(id.Name) == nil && !slices.Contains(names, id.Name) {
			names = append(names, id.Name)
		}
	}
	slices.Sort(names)
	return names, pkg
}

func declare(names map[string]bool, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names[d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names[s.Name.Name] = true
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names[n.Name] = true
				}
			}
		}
	}
}

// ImportPath is that of the package in dir, whether or not it compiles.
func ImportPath(dir string) string {
	cmd := child.Command(context.Background(), "go", "list", "-e", "-f", "{{.ImportPath}}", ".")
	cmd.Dir, cmd.Env = dir, HostEnv()
	out, err := child.Output(cmd)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// WriteOverlay writes what go run -overlay wants, for files of dir by name and
// text, into a folder that done removes.
func WriteOverlay(dir string, files map[string]string) (overlay string, done func(), err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, err
	}
	tmp, err := os.MkdirTemp("", "tilesmith-")
	if err != nil {
		return "", nil, err
	}
	done = func() { os.RemoveAll(tmp) }
	replace := map[string]string{}
	for name, text := range files {
		at := filepath.Join(tmp, name)
		replace[filepath.Join(abs, name)] = at
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			done()
			return "", nil, err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err == nil {
		overlay = filepath.Join(tmp, "overlay.json")
		err = os.WriteFile(overlay, data, 0o600)
	}
	if err != nil {
		done()
		return "", nil, err
	}
	return overlay, done, nil
}
