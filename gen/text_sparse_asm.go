package gen

import (
	"fmt"
	"strings"
)

// stubFile declares the assembly functions and lists them as package run wants them.
func (s *sparseSpec) stubFile(o Options, mods []sparseModule) string {
	var b strings.Builder
	b.WriteString(fileHead(o, asmTag))
	n := lowerFirst(s.Name)
	paths := []string{module + "cpu/run"}
	var vars []string
	for _, m := range mods {
		vars = append(vars, "&"+m.variable(s.Name))
		if m.stock != nil {
			paths = append(paths, module+m.stock.folder)
		}
	}
	imports(&b, paths...)
	fmt.Fprintf(&b, "var %sVariants = []*run.%s{%s}\n\n", n, mods[0].table, strings.Join(vars, ", "))
	if s.body != nil {
		fmt.Fprintf(&b, "var %sEpis = []*run.EpiVariant{\n", n)
		for _, m := range mods {
			fmt.Fprintf(&b, "{ISA: %q, Kernel: %s, Lanes: %d},\n", m.target.Name, m.epi, m.lanes)
		}
		b.WriteString("}\n\n")
	}
	for _, m := range mods {
		if m.stock != nil {
			continue
		}
		fmt.Fprintf(&b, "var %s_%s = run.%s{\nISA: %q,\n", n, m.target.Name, m.table, m.target.Name)
		for _, f := range m.fields {
			fmt.Fprintf(&b, "%s: %s,\n", f.Name, f.Value)
		}
		b.WriteString("}\n\n")
	}
	for _, m := range mods {
		for _, k := range m.own() {
			stub(&b, k.f.Name, k.block)
		}
	}
	return b.String()
}

// noasmFile stands in for the stubs where there is no assembly.
func (s *sparseSpec) noasmFile(o Options, mods []sparseModule) string {
	var b strings.Builder
	b.WriteString(fileHead(o, noasmTag))
	fmt.Fprintf(&b, "import %q\n\n", module+"cpu/run")
	fmt.Fprintf(&b, "var %sVariants []*run.%s\n", lowerFirst(s.Name), mods[0].table)
	if s.body != nil {
		fmt.Fprintf(&b, "\nvar %sEpis []*run.EpiVariant\n", lowerFirst(s.Name))
	}
	return b.String()
}
