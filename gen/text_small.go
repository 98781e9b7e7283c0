package gen

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/gemm"
)

// byName reports whether small products call the kernels by their names: those of any
// shape that have no epilogue. A call through a table would move the argument block to
// the heap.
func byName(m *gemm.Module) bool { return m.Body == nil && m.Shape == (gemm.Shape{}) }

// numbers is how many numbers the kernels of a variant take; see [dense.Small.Next].
func numbers(m *gemm.Module) int { return 2 * m.MR * m.NV }

// stubImports is what the files beside the entry points import.
func stubImports(b *strings.Builder, m *gemm.Module, asm bool) {
	paths := []string{module + "cpu/run"}
	if byName(m) {
		paths = append(paths, module+"layout")
	}
	if direct(m) || byName(m) && asm {
		paths = append(paths, module+"cpu/run/dense")
	}
	if m.Stock && asm {
		paths = append(paths, module+stockOf(m).folder)
	}
	imports(b, paths...)
}

// smallRef writes the calls with options.
func smallRef(b *strings.Builder, name, elem string) {
	fmt.Fprintf(b, `func %[1]sOpt(opt run.Options, out, a, b layout.Matrix[%[2]s]) { %[1]sRef(&opt, &out, &a, &b) }

// %[1]sRef is %[1]sOpt by reference, which leaves all four as they are: for those who hand
// on parameters of their own. A small product takes no longer than copying them.
func %[1]sRef(opt *run.Options, out, a, b *layout.Matrix[%[2]s]) {
	if !%[3]sSmall(opt, out, a, b) {
		%[3]sSet.Large(opt, out, a, b)
	}
}

`, name, elem, lowerFirst(name))
}

// smallCall writes the function that computes small products, with the kernels by
// their names; without assembly it computes none.
func smallCall(b *strings.Builder, name string, mods []*gemm.Module, asm bool) {
	if !byName(mods[0]) {
		return
	}
	v, elem := lowerFirst(name), mods[0].Elem.Go()
	params := fmt.Sprintf("opt *run.Options, out, a, b *layout.Matrix[%s]", elem)
	if !asm {
		fmt.Fprintf(b, "\nfunc %sSmall(%s) bool { return false }\n", v, strings.Replace(params, "opt *run.Options, out, a, b ", "_ *run.Options, _, _, _ ", 1))
		return
	}
	call := runName(name, mods[0])
	fmt.Fprintf(b, `// %[1]sSmall computes a small product and reports whether it was one.
func %[1]sSmall(%[2]s) bool {
	var s dense.Small
	if !%[1]sSet.Small(&s, opt, out, a, b) {
		return false
	}
	%[3]s(&s)
	return true
}

`, v, params, call)
	if mods[0].Stock {
		return
	}
	fmt.Fprintf(b, `// %[1]s calls the kernels of a small product by their names, so that their arguments stay
// on the stack.
func %[1]s(s *dense.Small) {
	for s.More() {
		switch s.Next() {
`, call)
	i := 0
	for _, m := range mods {
		for _, f := range slices.Concat(slices.Concat(m.Full...), slices.Concat(m.Tail...)) {
			fmt.Fprintf(b, "case %d:\n%s(&s.Args)\n", i, f)
			i++
		}
	}
	b.WriteString("}\n}\ns.Done()\n}\n\n")
}

// runName is the function that calls the kernels of small products by name.
func runName(name string, m *gemm.Module) string {
	switch {
	case m.Stock:
		s := stockOf(m)
		return path.Base(s.folder) + "." + s.name + "Run"
	case m.Standalone:
		return name + "Run"
	}
	return lowerFirst(name) + "Run"
}
