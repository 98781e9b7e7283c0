package gen

import (
	"reflect"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gen/unit"
)

// Family is a spec of kernels that a table of package cpu/run lists: for those who
// write the loops around them by hand. The package gets a variable of the family's name,
// a slice of pointers to one table for each target, best first; it is nil where there is
// no assembly. The tables have names of their own, as RowsAVX2, for packages that share
// one. [NewFamily] makes one.
type Family struct {
	name    string
	targets []emit.Target
	block   string // the argument block as Go writes it
	typ     string // the tables' type, likewise
	lower   func(t emit.Target) ([]*emit.Func, unit.Table, error)
}

// NewFamily returns the family of the functions that lower returns for each of targets,
// every CPU's without any, with their table. The functions' argument block is Block, a
// type of tiling/kernel that package cpu/run has an alias of; Table is a table of
// tiling/kernel of names, whose alias there is of functions.
func NewFamily[Block, Table any](name string, lower func(t emit.Target) ([]*emit.Func, Table, error), targets ...emit.Target) Family {
	if targets == nil {
		targets = CPU
	}
	block := "run." + reflect.TypeFor[Block]().Name()
	var zero Table
	return Family{name, targets, block, unit.TableOf("run", block, zero).Type(), func(t emit.Target) ([]*emit.Func, unit.Table, error) {
		fs, table, err := lower(t)
		return fs, unit.TableOf("run", block, table), err
	}}
}

// Kernel returns the name.
func (f Family) Kernel() string { return f.name }

// TargetList returns the targets.
func (f Family) TargetList() []emit.Target { return f.targets }

// Lower builds the functions and their tables.
func (f Family) Lower(c *unit.Context, targets []emit.Target) (*unit.Unit, error) {
	if err := stubbed(f, targets); err != nil {
		return nil, err
	}
	u := &unit.Unit{Name: f.name}
	var tables []string
	for _, t := range targets {
		fs, table, err := f.lower(t)
		if err != nil {
			return nil, err
		}
		name := f.name + strings.ToUpper(t.Name)
		tables = append(tables, "&"+name)
		u.Variants = append(u.Variants, unit.Variant{Target: t, Funcs: unit.Kernels(f.block, fs...)})
		u.Asm = append(u.Asm, unit.Var{Doc: name + " is for packages that share it.", Name: name, Value: table})
	}
	typ := "[]*" + f.typ
	u.Listed = []unit.Var{{
		Doc:  f.name + " holds the kernels, best ISA first; it is empty where there is no assembly.",
		Name: f.name, Type: typ, Value: unit.Expr(typ + "{" + strings.Join(tables, ", ") + "}"),
	}}
	return u, nil
}
