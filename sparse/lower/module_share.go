package lower

import (
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/sparse/spec"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// share makes m's table the stock one if that has, at its row, every kernel that a
// call of the spec needs. Panels are cut alike then. A panel that is narrower than the
// stock table allows is so because there are no more features. The families of a stock
// package are called after what they multiply and its elements.
func share[Table any](p *Product, m *Module, table *Table, folder, name string, stock func(emit.Target) ([]*emit.Func, Table, error)) error {
	return shareAs(p, m, table, Stock{"cpu/kern/" + folder + strings.ToLower(p.elem.String()), name}, stock)
}

// shareAs is share with a stock package whatever it is called.
func shareAs[Table any](p *Product, m *Module, table *Table, of Stock, stock func(emit.Target) ([]*emit.Func, Table, error)) error {
	sums := p.Reduce == spec.Plus || p.Reduce == spec.Mean
	known := slices.ContainsFunc(gemm.CPUTargets(), func(t emit.Target) bool { return t.Name == m.Target.Name })
	if p.Standalone || !sums || !known {
		return nil
	}
	fs, theirs, err := stock(m.Target)
	if err != nil {
		return err
	}
	byName, byRow := map[string]*emit.Func{}, map[string]*emit.Func{}
	for _, f := range fs {
		byName[f.Name] = f
	}
	for row, name := range kernel.Names(&theirs) {
		byRow[row] = byName[*name]
	}
	own := map[string]*emit.Func{}
	for _, f := range m.Funcs {
		own[f.Name] = f.Func
	}
	for row, name := range kernel.Names(table) {
		if *name == "" {
			continue
		}
		if f := byRow[row]; f == nil || codeOf(f) != codeOf(own[*name]) {
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
