package gen

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// Family is a spec of kernels that a table of package cpu/run calls: for those who
// write the loops around them by hand. The package gets a variable of the family's name,
// a slice of pointers to one table for each target, best first; it is nil where there is
// no assembly. The tables have names of their own, as RowsAVX2, for packages that share
// one. [NewFamily] makes one.
type Family struct {
	name         string
	targets      []emit.Target
	block, table reflect.Type
	lower        func(t emit.Target) ([]*emit.Func, any, error)
}

// NewFamily returns the family of the functions that lower returns for each of targets,
// every CPU's without any, with their table. The functions' argument block is Block, a
// type of tiling/kernel that package cpu/run has an alias of; Table is a table of
// tiling/kernel of names, whose alias there is of functions.
func NewFamily[Block, Table any](name string, lower func(t emit.Target) ([]*emit.Func, Table, error), targets ...emit.Target) Family {
	if targets == nil {
		targets = CPU
	}
	return Family{name, targets, reflect.TypeFor[Block](), reflect.TypeFor[Table](), func(t emit.Target) ([]*emit.Func, any, error) { return lower(t) }}
}

// Kernel returns the name.
func (f Family) Kernel() string { return f.name }

// TargetList returns the targets.
func (f Family) TargetList() []emit.Target { return f.targets }

// variable holds the table for t.
func (f Family) variable(t emit.Target) string { return stock{name: f.name}.variable("", t) }

// familyMember is a family lowered for one target.
type familyMember struct {
	fs    []*emit.Func
	table any
}

// familyTexts are the Go files of a family.
func familyTexts(o Options, base string, f Family, members []familyMember) []text {
	var b, none strings.Builder
	doc := fmt.Sprintf("// %s holds the kernels, best ISA first; it is empty where there is no assembly.\n", f.name)
	kernel := kernelType(f.block)
	table := typeText(f.table, kernel)
	b.WriteString(fileHead(o, asmTag))
	var vars []string
	for _, t := range f.targets {
		vars = append(vars, "&"+f.variable(t))
	}
	fmt.Fprintf(&b, "import %q\n\n%svar %s = []*%s{%s}\n\n", module+"cpu/run", doc, f.name, table, strings.Join(vars, ", "))
	for i, t := range f.targets {
		fmt.Fprintf(&b, "// %[1]s is for packages that share it.\nvar %[1]s = %[2]s{\n%s}\n\n", f.variable(t), table, tableText(members[i].table, kernel))
	}
	for _, m := range members {
		for _, k := range m.fs {
			stub(&b, k.Name, "run."+f.block.Name())
		}
	}
	none.WriteString(fileHead(o, noasmTag))
	fmt.Fprintf(&none, "import %q\n\n%svar %s []*%s\n", module+"cpu/run", doc, f.name, table)
	return []text{{base + "_amd64.go", b.String()}, {base + "_noasm.go", none.String()}}
}
