package gen

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gen/fn"
	"github.com/tilesmith/tilesmith/internal/child"
)

// functions finds and translates the Go functions of epilogues. Loading the
// packages that they come from takes a while, so it waits until one is needed.
type functions struct {
	dir, source string
	o           Options
	prog        *fn.Program
	path        string            // of the package generated into; "": not looked up yet
	imports     map[string]string // paths of users' packages by the names that files import them by
	declared    []string          // the names of the specs
}

// load and pathOf ask the go command, which takes a second or more. Tests ask once for a folder that does not change.
var load, pathOf = fn.Load, lookupPath

func (x *functions) program() (*fn.Program, error) {
	if x.prog != nil {
		return x.prog, nil
	}
	patterns := []string{"."}
	if filepath.Ext(x.source) == ".go" {
		patterns = []string{x.source}
	}
	var err error
	x.prog, err = load(x.dir, patterns...)
	return x.prog, err
}

func (x *functions) lookup(f any) (*fn.Func, error) {
	ref, err := fn.ValueOf(f)
	if err != nil {
		return nil, err
	}
	p, err := x.program()
	if err != nil {
		return nil, err
	}
	return p.Lookup(ref)
}

// Widest is that of a [unit.Translator].
func (x *functions) Widest(f any) (emit.Elem, error) {
	t, err := x.lookup(f)
	if err != nil {
		return emit.None, err
	}
	return t.Widest(), nil
}

// Inline is that of a [unit.Translator].
func (x *functions) Inline(fs ...*emit.Func) error {
	p, err := x.program()
	if err != nil {
		return err
	}
	for _, f := range fs {
		if err := p.Inline(f); err != nil {
			return fmt.Errorf("gen: %w", err)
		}
	}
	return nil
}

// Epilogue is that of a [unit.Translator].
func (x *functions) Epilogue(t emit.Target, f *emit.Func) error {
	if x.o.Dump != nil {
		f.Number()
		x.o.Dump(t.Name, passGo, f)
	}
	return x.Inline(f)
}

// Fits is that of a [unit.Translator]: what is tried is not shown.
func (x *functions) Fits(t emit.Target, fs ...*emit.Func) error {
	_, err := assembly(Options{Source: x.source}, t, unit.Kernels("", fs...))
	return err
}

// passGo is what Dump calls an epilogue while its Go function stands in it.
const passGo = "go"

// Call is that of a [unit.Translator].
func (x *functions) Call(folder, name string, f any) (unit.Call, error) {
	if c, ok := stock(f); ok {
		return c, nil
	}
	t, err := x.lookup(f)
	if err != nil {
		return unit.Call{}, err
	}
	src, err := t.Source(path.Join(x.importPath(), folder), func(part string) string {
		return unit.Lower(name) + unit.Upper(part) + "Fn"
	}, x.qualify)
	if err != nil {
		return unit.Call{}, err
	}
	c := unit.Call{Expr: src.Expr, Decls: strings.TrimSpace(string(src.Decls))}
	for _, i := range src.Imports {
		c.Imports = append(c.Imports, strings.TrimSpace(i.Name+" "+i.Path))
	}
	for _, a := range t.Accuracy() {
		c.ULP = max(c.ULP, math.Ceil(a.ULP)*float64(a.N))
	}
	c.Strict = c.ULP == 0 && len(t.Contractions()) == 0
	return c, nil
}

// qualify is the name by which generated files import a package that a user's function
// is of or needs. It is the package's own, unless they use that for something else.
func (x *functions) qualify(name, at string) string {
	if slices.Contains(everywhere, at) && path.Base(at) == name {
		return name
	}
	taken := func(name string) bool {
		return reserved(name) || slices.Contains(x.declared, name) || x.imports[name] != "" && x.imports[name] != at
	}
	for taken(name) {
		name += "pkg"
	}
	if x.imports == nil {
		x.imports = map[string]string{}
	}
	x.imports[name] = at
	return name
}

// stock says how to call a function of package semiring, which needs no look at any
// source; ok is false for others.
func stock(f any) (c unit.Call, ok bool) {
	const pkg = unit.Module + "layout/semiring"
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func || v.IsNil() || v.Type().NumIn() == 0 {
		return c, false
	}
	known := runtime.FuncForPC(v.Pointer())
	if known == nil {
		return c, false
	}
	name, ok := strings.CutPrefix(known.Name(), pkg+".")
	name, generic := strings.CutSuffix(name, "[...]")
	if !ok || !generic || strings.Contains(name, ".func") {
		return c, false
	}
	return unit.Call{Expr: fmt.Sprintf("semiring.%s[%s]", name, v.Type().In(0)), Imports: []string{pkg}}, true
}

// importPath is that of the package generated into, or the folder's name if it is in no
// module.
func (x *functions) importPath() string {
	if x.path == "" {
		x.path = pathOf(x.dir)
	}
	return x.path
}

// lookupPath asks the go command. For a folder without Go files, which is no package
// yet, it knows the module only.
func lookupPath(dir string) string {
	list := func(in string, args ...string) string {
		cmd := child.Command(context.Background(), "go", append([]string{"list"}, args...)...)
		cmd.Dir = in
		out, err := child.Output(cmd)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	if hasPipe(dir) {
		// The go command would wait for a writer.
	} else if p := list(dir, "-e", "-f", "{{.ImportPath}}", "."); p != "" && p != "." && !strings.HasPrefix(p, "_/") {
		return p
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return filepath.Base(dir)
	}
	there := abs // the folder itself may have to be made yet
	for {
		if info, err := os.Stat(there); err == nil && info.IsDir() || filepath.Dir(there) == there {
			break
		}
		there = filepath.Dir(there)
	}
	best, found := "", filepath.Base(abs)
	for line := range strings.Lines(list(there, "-m", "-f", "{{.Dir}}\t{{.Path}}")) { // as many as a workspace has
		root, module, _ := strings.Cut(strings.TrimSpace(line), "\t")
		rel, err := filepath.Rel(root, abs)
		if err == nil && (rel == "." || filepath.IsLocal(rel)) && len(root) > len(best) {
			best, found = root, path.Join(module, filepath.ToSlash(rel))
		}
	}
	return found
}

// hasPipe reports whether a folder has a named pipe.
func hasPipe(dir string) bool {
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Type()&os.ModeNamedPipe != 0 })
}
