package simd

import (
	"fmt"
	"path"
	"strings"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen/unit"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// stockProduct is a product of cpu/kern whose kernels other packages share.
type stockProduct struct{ Folder, Name string }

// stockOf returns the stock product with the sums of m.
func stockOf(m *Module) stockProduct {
	if m.Elem == dtype.F64 {
		return stockProduct{"cpu/kern/gemmf64", "DGEMM"}
	}
	return stockProduct{"cpu/kern/gemmf32", "SGEMM"}
}

// in is a part of the stock package as others name it.
func (s stockProduct) in(part string) string { return path.Base(s.Folder) + "." + s.Name + part }

// tables declares the kernels of each target, and the list of them.
func (p *product) tables(u *unit.Unit) {
	var list []string
	first := 0
	for _, m := range p.mods {
		name := p.v + "_" + m.Target.Name
		list = append(list, "&"+name)
		micro := p.part(u, m, "Micro", m.Stock, func() any {
			t := m.MicroKernels
			if p.byName() {
				t.First = first
			}
			return t
		})
		packers := p.part(u, m, "Pack", m.StockPackers(), func() any { return m.Packers })
		kernels := unit.Lit{Type: "run.Kernels", Fields: []unit.Field{{Name: "ISA", Value: unit.Expr(fmt.Sprintf("%q", m.Target.Name))},
			{Name: "MicroKernels", Value: micro}, {Name: "Packers", Value: packers}}}
		if m.Epi != "" {
			kernels = kernels.With(unit.Field{Name: "Epi", Value: unit.Expr(m.Epi)}, unit.Field{Name: "EpiLanes", Value: unit.Expr(fmt.Sprint(m.EpiLanes))})
		}
		u.Asm = append(u.Asm, unit.Var{Name: name, Value: kernels})
		first += numbers(m)
	}
	const typ = "[]*run.Kernels"
	u.Listed = append(u.Listed, unit.Var{Name: p.v + "Variants", Type: typ, Value: unit.Expr(typ + "{" + strings.Join(list, ", ") + "}")})
}

// part is a pointer to a table of kernels: the stock product's, one that is declared for
// packages that share it, or a literal.
func (p *product) part(u *unit.Unit, m *Module, part string, shared bool, value func() any) any {
	if shared {
		return unit.Expr("&" + stockOf(m).in(part+m.upper()))
	}
	t := unit.Table{Package: "run", Kernel: "run.Kernel", Value: value()}
	if !m.Standalone {
		return unit.Ref{Value: t}
	}
	name := p.Name + part + m.upper()
	u.Asm = append(u.Asm, unit.Var{Doc: name + " is for packages that share it.", Name: name, Value: t})
	return unit.Expr("&" + name)
}

// byName reports whether small products call the kernels by their names: those of any
// shape that have no epilogue. A call through a table would move the argument block to
// the heap.
func (p *product) byName() bool { return p.Fusion == nil && p.Shape == (gemm.Shape{}) }

// numbers is how many numbers the kernels of a variant take, those of the Panel, the Tail,
// the Half and the Columns form; see dense.Small's Next.
func numbers(m *Module) int {
	return 2*m.MR*m.NV + len(m.Of(kernel.Half)) + len(m.Of(kernel.Columns))
}

// smallCall declares the call by reference, which computes small products with the
// kernels by their names; without assembly there are none.
func (p *product) smallCall(u *unit.Unit) {
	if !p.byName() {
		return
	}
	ref, call := p.byReference(), p.runName()
	u.Noasm = append(u.Noasm, ref)
	ref.Body = fmt.Sprintf(`var s dense.Small
if %[1]sSet.Small(&s, opt, out, a, b) {
	%[2]s(&s)
	return
}
%[3]s`, p.v, call, ref.Body)
	u.Asm = append(u.Asm, ref)
	if p.Stock {
		return
	}
	var cases strings.Builder
	i := 0
	for _, m := range p.mods {
		for _, t := range m.Tiles[:numbers(m)] {
			fmt.Fprintf(&cases, "case %d:\n%s(&s.Args)\n", i, t.F)
			i++
		}
	}
	u.Asm = append(u.Asm, unit.Func{
		Doc:  call + " calls the kernels of a small product by their names, so that their arguments stay on the stack.",
		Name: call, Params: []unit.Param{{Name: "s", Type: "*dense.Small"}},
		Body: "for s.More() {\nswitch s.Next() {\n" + cases.String() + "}\n}\ns.Done()",
	})
}

// runName is the function that calls the kernels of small products by name.
func (p *product) runName() string {
	switch {
	case p.Stock:
		return stockOf(p.Module).in("Run")
	case p.Standalone:
		return p.Name + "Run"
	}
	return p.v + "Run"
}
