package lower

import (
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/sparse/spec"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// share makes m's table the stock one if that has every kernel that a
// call of the spec needs. Panels are cut alike then. A panel that is narrower than the
// stock table allows is so because there are no more features. The families of a stock
// package are called after what they multiply and its elements.
func share(p *Product, m *Module, folder, name string, stock func(emit.Target) ([]*emit.Func, kernel.Table[string], error)) error {
	return shareAs(p, m, Stock{"cpu/kern/" + folder, name + strings.ToUpper(p.elem.String())}, stock)
}

// shareAs is share with a stock package whatever it is called.
func shareAs(p *Product, m *Module, of Stock, stock func(emit.Target) ([]*emit.Func, kernel.Table[string], error)) error {
	sums := p.Reduce == spec.Plus || p.Reduce == spec.Mean
	known := slices.ContainsFunc(gemm.CPUTargets(), func(t emit.Target) bool { return t.Name == m.Target.Name })
	if p.Standalone || !sums || !known {
		return nil
	}
	fs, theirs, err := stock(m.Target)
	if err != nil {
		return err
	}
	byName, byPlace := map[string]*emit.Func{}, map[kernel.Entry[string]]*emit.Func{}
	for _, f := range fs {
		byName[f.Name] = f
	}
	for _, e := range theirs.Entries {
		f := byName[e.F]
		e.F = ""
		byPlace[e] = f
	}
	own := map[string]*emit.Func{}
	for _, f := range m.Funcs {
		own[f.Name] = f.Func
	}
	for _, e := range m.Table.Entries {
		mine := own[e.F]
		if e.F == "" {
			continue
		}
		e.F = ""
		if f := byPlace[e]; f == nil || codeOf(f) != codeOf(mine) {
			return nil
		}
	}
	m.Stock = &of
	return nil
}

// codeOf is a function's text without its names.
func codeOf(f *emit.Func) string {
	g := *f
	g.Name, g.Doc = "f", ""
	return g.String()
}
