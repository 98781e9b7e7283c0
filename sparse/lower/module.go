package lower

import (
	"reflect"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Module is a sparse product lowered for one target.
type Module struct {
	Target   emit.Target
	Funcs    []Func                // those that Table names, then the epilogue
	Table    *kernel.Table[string] // lists the kernels by name; nil: there are none
	Stock    *Stock                // whose table is the same; nil: the package has its own
	Epi      string                // the epilogue's function, "" without
	EpiLanes int                   // see [kernel.Kernels]
	VL       int
}

// Func is a function and the type of its argument block in tiling/kernel.
type Func struct {
	*emit.Func
	Block reflect.Type
}

// Stock is a family of kernels that packages share.
type Stock struct {
	Folder string // in this module: "cpu/kern/spmmf"
	Name   string // of the family: "RowsF32"
}

// Own lists the functions that the package of the spec gets.
func (m *Module) Own() []Func {
	if m.Stock == nil {
		return m.Funcs
	}
	return slices.DeleteFunc(slices.Clone(m.Funcs), func(f Func) bool { return f.Name != m.Epi })
}

// adopt takes those of fs that table names into the module, under names that begin with
// the spec's and the target's.
func adopt(p *Product, m *Module, fs []*emit.Func, table *kernel.Table[string]) {
	prefix, target := p.prefix(), "_"+m.Target.Name
	names := map[string]string{}
	for i := range table.Entries {
		if e := &table.Entries[i]; e.F != "" {
			old := e.F
			e.F = prefix + target + "_" + strings.TrimSuffix(strings.TrimPrefix(old, prefix+"_"), target)
			names[old] = e.F
		}
	}
	for _, f := range fs {
		if name, ok := names[f.Name]; ok {
			f.Doc = strings.Replace(f.Doc, f.Name, name, 1)
			f.Name = name
			m.Funcs = append(m.Funcs, Func{f, reflect.TypeFor[kernel.SparseArgs]()})
		}
	}
	m.Table = table
}

// prefix is what the names of the spec's functions begin with.
func (p *Product) prefix() string { return strings.ToLower(p.Name[:1]) + p.Name[1:] }
