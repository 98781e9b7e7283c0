package gen

import (
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gen/unit"
)

// Family is a spec of kernels that a table of the run time lists: for those who write
// the loops around them by hand. The package gets a variable Name, a slice of pointers to
// one table for each target, best first; it is nil where there is no assembly. The tables
// have names of their own, as RowsAVX2, for packages that share one.
type Family struct {
	Name    string
	Targets []emit.Target
	// Block is the kernels' argument block and Table the tables' type, as Go writes them:
	// "run.SparseArgs", "run.RowKernels". Imports are the packages that they are of, if
	// that is not cpu/run.
	Block, Table string
	Imports      []string
	Build        func(t emit.Target) ([]*emit.Func, unit.Table, error)
}

// Kernel returns the name.
func (f Family) Kernel() string { return f.Name }

// TargetList returns the targets.
func (f Family) TargetList() []emit.Target { return f.Targets }

// Lower builds the functions and their tables.
func (f Family) Lower(c *unit.Context, targets []emit.Target) (*unit.Unit, error) {
	if err := stubbed(f, targets); err != nil {
		return nil, err
	}
	u := &unit.Unit{Name: f.Name, Imports: f.Imports}
	var tables []string
	for _, t := range targets {
		fs, table, err := f.Build(t)
		if err != nil {
			return nil, err
		}
		name := f.Name + strings.ToUpper(t.Name)
		tables = append(tables, "&"+name)
		u.Variants = append(u.Variants, unit.Variant{Target: t, Funcs: unit.Kernels(f.Block, fs...)})
		u.Asm = append(u.Asm, unit.Var{Doc: name + " is for packages that share it.", Name: name, Value: table})
	}
	u.Listed = []unit.Var{{
		Doc:  f.Name + " holds the kernels, best ISA first; it is empty where there is no assembly.",
		Name: f.Name, Type: "[]*" + f.Table, Value: unit.Expr("[]*" + f.Table + "{" + strings.Join(tables, ", ") + "}"),
	}}
	return u, nil
}
