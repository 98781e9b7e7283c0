package gen

import (
	"fmt"
	"math"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen/fn"
	"github.com/tilesmith/tilesmith/gen/unit"
)

// functions is the [unit.Translator] of one run of the generator. Loading the packages
// that functions come from takes a while, so it waits until one is needed.
type functions struct {
	dir, source string
	prog        *fn.Program
}

func (x *functions) program() (*fn.Program, error) {
	if x.prog != nil {
		return x.prog, nil
	}
	patterns := []string{"."}
	if filepath.Ext(x.source) == ".go" {
		patterns = []string{x.source}
	}
	var err error
	x.prog, err = fn.Load(x.dir, patterns...)
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

// Widest is [unit.Translator]'s.
func (x *functions) Widest(f any) (emit.Elem, error) {
	t, err := x.lookup(f)
	if err != nil {
		return emit.None, err
	}
	return t.Widest(), nil
}

// Inline is [unit.Translator]'s.
func (x *functions) Inline(fs ...*emit.Func) error {
	p, err := x.program()
	if err != nil {
		return err
	}
	for _, f := range fs {
		if err := p.Inline(f); err != nil {
			return err
		}
	}
	return nil
}

// inline replaces the Go function in a module's epilogue by its translation.
func (x *functions) inline(o Options, t emit.Target, m *gemm.Module) error {
	for _, f := range m.Funcs {
		if f.Name != m.Epi {
			continue
		}
		if o.Dump != nil {
			f.Number()
			o.Dump(t.Name, passGo, f)
		}
		if err := x.Inline(f); err != nil {
			return fmt.Errorf("gen: %w", err)
		}
	}
	return nil
}

// passGo is what Dump calls an epilogue while its Go function stands in it.
const passGo = "go"

// Call is [unit.Translator]'s. A function of package semiring is called by its name, which
// needs no look at any source.
func (x *functions) Call(folder, name string, f any) (unit.Call, error) {
	if c, ok := stockCall(f); ok {
		return c, nil
	}
	t, err := x.lookup(f)
	if err != nil {
		return unit.Call{}, err
	}
	src, err := t.Source(path.Join(x.importPath(), folder), func(part string) string {
		return lowerFirst(name) + upperFirst(part) + "Fn"
	})
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
	return c, nil
}

// stockCall is the call of a generic function of package semiring.
func stockCall(f any) (unit.Call, bool) {
	const pkg = module + "layout/semiring"
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func || v.IsNil() || v.Type().NumIn() == 0 {
		return unit.Call{}, false
	}
	known := runtime.FuncForPC(v.Pointer())
	if known == nil {
		return unit.Call{}, false
	}
	name, ours := strings.CutPrefix(known.Name(), pkg+".")
	name, generic := strings.CutSuffix(name, "[...]")
	if !ours || !generic || strings.Contains(name, ".func") {
		return unit.Call{}, false
	}
	return unit.Call{Expr: fmt.Sprintf("semiring.%s[%s]", name, v.Type().In(0)), Imports: []string{pkg}}, true
}

// Fits is [unit.Translator]'s.
func (x *functions) Fits(t emit.Target, fs []*emit.Func) error {
	_, err := assembly(Options{Source: x.source}, "", t, fs)
	return err
}

// importPath is that of the package generated into, or the folder's name if the go
// command does not know it.
func (x *functions) importPath() string {
	cmd := exec.Command("go", "list", "-e", "-f", "{{.ImportPath}}", ".")
	cmd.Dir = x.dir
	out, err := cmd.Output()
	if err != nil {
		return filepath.Base(x.dir)
	}
	return strings.TrimSpace(string(out))
}
