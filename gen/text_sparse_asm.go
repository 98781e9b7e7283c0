package gen

import (
	"fmt"
	"path"
	"reflect"
	"strings"

	"github.com/tilesmith/tilesmith/sparse/lower"
)

// stubFile declares the assembly functions and lists them as package run wants them.
func (s *sparseSpec) stubFile(o Options, mods []*lower.Module) string {
	var b strings.Builder
	b.WriteString(fileHead(o, asmTag))
	n := lowerFirst(s.Name)
	table := s.kernels(mods)
	paths := []string{module + "cpu/run"}
	var vars []string
	for _, m := range mods {
		v := n + "_" + m.Target.Name
		if m.Stock != nil {
			paths = append(paths, module+m.Stock.Folder)
			v = path.Base(m.Stock.Folder) + "." + stock{name: m.Stock.Name}.variable("", m.Target)
		}
		vars = append(vars, "&"+v)
	}
	imports(&b, paths...)
	fmt.Fprintf(&b, "var %sVariants = []*%s{%s}\n\n", n, table, strings.Join(vars, ", "))
	if s.body != nil {
		fmt.Fprintf(&b, "var %sEpis = []*run.EpiVariant{\n", n)
		for _, m := range mods {
			fmt.Fprintf(&b, "{ISA: %q, Kernel: %s, Lanes: %d},\n", m.Target.Name, m.Epi, m.EpiLanes)
		}
		b.WriteString("}\n\n")
	}
	for _, m := range mods {
		if m.Stock == nil {
			fmt.Fprintf(&b, "var %s_%s = %s{\n%s}\n\n", n, m.Target.Name, table, tableText(m.Table, kernelType(m.Funcs[0].Block)))
		}
	}
	for _, m := range mods {
		for _, f := range m.Own() {
			stub(&b, f.Name, "run."+f.Block.Name())
		}
	}
	return b.String()
}

// kernels is the type in package run of the tables of kernels.
func (s *sparseSpec) kernels(mods []*lower.Module) string {
	return typeText(reflect.TypeOf(mods[0].Table), "")
}

// noasmFile stands in for the stubs where there is no assembly.
func (s *sparseSpec) noasmFile(o Options, mods []*lower.Module) string {
	var b strings.Builder
	b.WriteString(fileHead(o, noasmTag))
	fmt.Fprintf(&b, "import %q\n\n", module+"cpu/run")
	fmt.Fprintf(&b, "var %sVariants []*%s\n", lowerFirst(s.Name), s.kernels(mods))
	if s.body != nil {
		fmt.Fprintf(&b, "\nvar %sEpis []*run.EpiVariant\n", lowerFirst(s.Name))
	}
	return b.String()
}
