package gen

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// Family is a spec of kernels that a table of package cpu/run calls: for those who
// write the loops around them by hand. The package gets a variable Name, a slice of
// pointers to one table for each target, best first; it is nil where there is no
// assembly. The tables have names of their own, as RowsAVX2, for packages that share one.
type Family struct {
	Name    string
	Targets []emit.Target
	Block   string // the kernels' argument block, a type of cpu/run: "SparseArgs"
	Table   string // the tables' type there: "RowKernels"; it has a field ISA
	Build   func(t emit.Target) (Members, error)
}

// Members are the kernels of a family for one target and the fields of its table,
// in order.
type Members struct {
	Funcs  []*emit.Func
	Fields []Field
}

// Field is one field of a table: the Go expression that it is set to. [List] writes
// those of lists of kernels.
type Field struct{ Name, Value string }

// List is the expression for a slice of kernels of a type of cpu/run.
func List(kernel string, names []string) string {
	if len(names) == 0 {
		return "nil"
	}
	return "[]run." + kernel + "{" + strings.Join(names, ", ") + "}"
}

// Kernel returns the name.
func (f Family) Kernel() string { return f.Name }

// TargetList returns the targets.
func (f Family) TargetList() []emit.Target { return f.Targets }

// table is the variable that holds the table for t.
func (f Family) table(t emit.Target) string { return stock{name: f.Name}.variable("", t) }

// familyTexts are the Go files of a family.
func familyTexts(o Options, base string, f Family, members []Members) []text {
	var b, none strings.Builder
	doc := fmt.Sprintf("// %s holds the kernels, best ISA first; it is empty where there is no assembly.\n", f.Name)
	b.WriteString(fileHead(o, asmTag))
	var vars []string
	for _, t := range f.Targets {
		vars = append(vars, "&"+f.table(t))
	}
	fmt.Fprintf(&b, "import %q\n\n%svar %s = []*run.%s{%s}\n\n", module+"cpu/run", doc, f.Name, f.Table, strings.Join(vars, ", "))
	for i, t := range f.Targets {
		fmt.Fprintf(&b, "// %[1]s is for packages that share it.\nvar %[1]s = run.%[2]s{\nISA: %[3]q,\n", f.table(t), f.Table, t.Name)
		for _, field := range members[i].Fields {
			fmt.Fprintf(&b, "%s: %s,\n", field.Name, field.Value)
		}
		b.WriteString("}\n\n")
	}
	for i := range f.Targets {
		for _, k := range members[i].Funcs {
			stub(&b, k.Name, "run."+f.Block)
		}
	}
	none.WriteString(fileHead(o, noasmTag))
	fmt.Fprintf(&none, "import %q\n\n%svar %s []*run.%s\n", module+"cpu/run", doc, f.Name, f.Table)
	return []text{{base + "_amd64.go", b.String()}, {base + "_noasm.go", none.String()}}
}
