package gen

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Family is a spec of kernels that a table of package tiling/kernel lists: for those who
// write the loops around them by hand. The package gets a variable of the family's name,
// a slice of pointers to one table for each target, best first. It is nil where there is
// no assembly. The tables have names of their own, as RowsAVX2, for packages that share
// one. [NewFamily] makes one.
type Family struct {
	name    string
	targets []emit.Target
	block   string // the argument block as Go writes it
	typ     string // the tables' type, likewise
	lower   func(t emit.Target) ([]*emit.Func, unit.Table, error)
	direct  bool
}

// Direct returns the family with a function for each operation of its tables, which all have the same, called after both: F64Dot(n, args)
// calls the Dot of F64[n]. A call through the table makes args escape to the heap; one
// of these does not, so that they may lie on the stack.
func (f Family) Direct() Family {
	f.direct = true
	return f
}

// NewFamily returns the family of the functions that lower returns for each of targets,
// every CPU's without any, with their table. The functions' argument block is Block, a
// type of tiling/kernel, and Table is a table of tiling/kernel that holds names.
func NewFamily[Block, Table any](name string, lower func(t emit.Target) ([]*emit.Func, Table, error), targets ...emit.Target) Family {
	if targets == nil {
		targets = CPU
	}
	block := "kernel." + reflect.TypeFor[Block]().Name()
	var zero Table
	return Family{name: name, targets: targets, block: block, typ: unit.TableOf(block, zero).Type(), lower: func(t emit.Target) ([]*emit.Func, unit.Table, error) {
		fs, table, err := lower(t)
		return fs, unit.TableOf(block, table), err
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
	var lowered []unit.Table
	for _, t := range targets {
		fs, table, err := f.lower(t)
		if err != nil {
			return nil, err
		}
		name := f.name + strings.ToUpper(t.Name)
		tables = append(tables, "&"+name)
		lowered = append(lowered, table)
		u.Variants = append(u.Variants, unit.Variant{Target: t, Funcs: unit.Kernels(f.block, fs...)})
		u.Asm = append(u.Asm, unit.Var{Doc: name + " is for packages that share it.", Name: name, Value: table})
	}
	typ := "[]*" + f.typ
	u.Listed = []unit.Var{{
		Doc:  f.name + " holds the kernels, best ISA first; it is empty where there is no assembly.",
		Name: f.name, Type: typ, Value: unit.Expr(typ + "{" + strings.Join(tables, ", ") + "}"),
	}}
	if f.direct {
		f.addDirect(u, lowered)
	}
	return u, nil
}

// addDirect adds the functions of [Family.Direct].
func (f Family) addDirect(u *unit.Unit, tables []unit.Table) {
	list := func(t unit.Table) *kernel.Table[string] {
		table := t.Value.(kernel.Table[string])
		return &table
	}
	for _, e := range list(tables[0]).Entries {
		call := unit.Func{Name: f.name + e.Op, Params: []unit.Param{{Name: "variant", Type: "int"}, {Name: "args", Type: "*" + f.block}}}
		call.Doc = call.Name + " calls the kernel " + e.Op + " of a variant of " + f.name + "."
		none := call
		none.Body = fmt.Sprintf("panic(%q)", call.Name+": there is no assembly")
		cases := ""
		for i, t := range tables {
			cases = fmt.Sprintf("case %d:\n%s(args)\n", i, list(t).Op(e.Op).F) + cases
		}
		call.Body = "switch variant {\n" + cases + "}"
		u.Asm, u.Noasm = append(u.Asm, call), append(u.Noasm, none)
	}
}
