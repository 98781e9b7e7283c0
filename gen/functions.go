package gen

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/gen/fn"
)

// functions finds and translates the Go functions of epilogues. Loading the
// packages that they come from takes a while, so it waits until one is needed.
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

// widest is a [simd.Widest].
func (x *functions) widest(f any) (emit.Elem, error) {
	t, err := x.lookup(f)
	if err != nil {
		return emit.None, err
	}
	return t.Widest(), nil
}

// inline replaces the Go function in a module's epilogue by its translation.
func (x *functions) inline(o Options, t emit.Target, m *simd.Module) error {
	for _, f := range m.Funcs {
		if f.Name != m.Epi {
			continue
		}
		if o.Dump != nil {
			f.Number()
			o.Dump(t.Name, passGo, f)
		}
		p, err := x.program()
		if err != nil {
			return err
		}
		if err := p.Inline(f); err != nil {
			return fmt.Errorf("gen: %w", err)
		}
	}
	return nil
}

// passGo is what Dump calls an epilogue while its Go function stands in it.
const passGo = "go"

// goFunc says how the code generated for a spec calls an epilogue's function.
func (x *functions) goFunc(spec string, f any) (goFunc, error) {
	return x.goFuncIn(x.importPath(), spec, f)
}

// goFuncIn is goFunc for code of the package with the import path into.
func (x *functions) goFuncIn(into, spec string, f any) (goFunc, error) {
	t, err := x.lookup(f)
	if err != nil {
		return goFunc{}, err
	}
	src, err := t.Source(into, func(name string) string {
		return lowerFirst(spec) + upperFirst(name) + "Fn"
	})
	if err != nil {
		return goFunc{}, err
	}
	g := goFunc{call: src.Expr, decls: strings.TrimSpace(string(src.Decls))}
	for _, i := range src.Imports {
		g.imports = append(g.imports, strings.TrimSpace(i.Name+" "+i.Path))
	}
	for _, c := range t.Accuracy() {
		g.ulp = max(g.ulp, math.Ceil(c.ULP)*float64(c.N))
	}
	return g, nil
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
