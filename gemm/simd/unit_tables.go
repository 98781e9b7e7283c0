package simd

import (
	"fmt"
	"path"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// tables declares the kernels of each target, and the list of them.
func (p *product) tables(u *unit.Unit) {
	var list []string
	first := 0
	for _, m := range p.mods {
		name := p.V + "_" + m.Target.Name
		list = append(list, "&"+name)
		micro := p.part(u, m, "Micro", m.microStock(), func() any {
			t := m.Table
			if p.byName() {
				t.First = first
			}
			return t
		})
		pack := p.part(u, m, "Pack", m.packStock(m.B), func() any { return m.Pack })
		var packA, widening, triangles any
		if m.PackA != nil {
			shared, part := m.packStock(m.A), "Pack"
			if shared == nil {
				part = "PackA"
			}
			packA = p.part(u, m, part, shared, func() any { return *m.PackA })
		}
		if m.Widening != nil {
			widening = p.part(u, m, "Widen", m.wideningStock(), func() any { return *m.Widening })
		}
		if m.Triangles != nil {
			triangles = p.part(u, m, "Triangle", m.microStock(), func() any { return *m.Triangles })
		}
		kernels := unit.Struct("kernel.Kernels", "ISA", m.Target.Name, "Table", micro, "Pack", pack, "PackA", packA, "Widening", widening, "Triangles", triangles,
			"Flip", unit.When(m.Flip != 0, "%#x", m.Flip), "FlipCopy", m.Flip != 0 && m.FlipCopy, "Epi", unit.Expr(m.Epi), "EpiLanes", m.EpiLanes)
		u.Asm = append(u.Asm, unit.Var{Name: name, Value: kernels})
		first += numbers(m)
	}
	p.List("Variants", "*kernel.Kernels", list...)
}

// part is a pointer to a table of kernels: the stock product's, one that is declared for
// packages that share it, or a literal.
func (p *product) part(u *unit.Unit, m *Module, part string, shared *origin, value func() any) any {
	if !m.owns(shared) {
		if path.Base(shared.Folder) == p.Package {
			return unit.Expr("&" + shared.Name + part + strings.ToUpper(shared.ISA))
		}
		p.Import(shared.Folder)
		return unit.Expr("&" + shared.table(part))
	}
	t := unit.Table{Kernel: "kernel.Func[kernel.Args]", Value: value()}
	if shared == nil && !m.Standalone {
		return unit.Ref{Value: t}
	}
	name := p.Name + part + m.upper()
	u.Asm = append(u.Asm, unit.Var{Doc: name + " is for packages that share it.", Name: name, Value: t})
	return unit.Expr("&" + name)
}

// byName reports whether small products call the kernels by their names: those of any
// shape that have no epilogue, of single numbers. A call through a table would move the argument block to
// the heap.
func (p *product) byName() bool { return p.Fusion == nil && p.Shape == (gemm.Shape{}) && !p.Paired() }

// mixed reports whether operands are of other types than sums, which are the result.
func (p *product) mixed() bool { return p.Fusion == nil && (p.A != p.Elem || p.B != p.Elem) }

// numbers is how many numbers the kernels of a variant take: those of the Panel, the Tail,
// the Half and the Columns form; see dense.Small's Next. Kernels that read several words at once have none: small
// products take no other way there.
func numbers(m *Module) int {
	if m.AtOnce > 1 {
		return 0
	}
	return 2*m.MR*m.NV + len(m.Of(kernel.Half)) + len(m.Of(kernel.Columns))
}

// smallCall declares the call by reference, which computes small products with the
// kernels by their names; without assembly there are none.
func (p *product) smallCall(u *unit.Unit) {
	if !p.byName() {
		return
	}
	ref := p.byReference()
	u.Noasm = append(u.Noasm, ref)
	if p.mixed() {
		ref.Body = p.mixedSmall(ref.Body)
	} else {
		ref.Body = fmt.Sprintf(`var s dense.Small
if %[1]sSet.Small(&s, opt, out, a, b) {
	%[2]s(&s)
	return
}
%[1]sSet.Large(name, opt, out, a, b)`, p.V, p.runName(p.Module))
	}
	u.Asm = append(u.Asm, ref)
	var cases strings.Builder
	call, first := "", 0
	for _, m := range p.mods {
		if m.owns(m.microStock()) && numbers(m) > 0 {
			call = p.runName(m)
			number := map[string][]string{} // panels and tails may share their kernels
			for i, t := range m.Entries[:numbers(m)] {
				number[t.F] = append(number[t.F], fmt.Sprint(first+i))
			}
			for _, t := range m.Entries[:numbers(m)] {
				if is := number[t.F]; is != nil && t.F != "" {
					fmt.Fprintf(&cases, "case %s:\n%s(&s.Args)\n", strings.Join(is, ", "), t.F)
					delete(number, t.F)
				}
			}
		}
		first += numbers(m)
	}
	if call == "" {
		return
	}
	u.Asm = append(u.Asm, unit.Func{
		Doc:  call + " calls the kernels of a small product by their names, so that their arguments stay on the stack.",
		Name: call, Params: []unit.Param{{Name: "s", Type: "*dense.Small"}},
		Body: "for s.More() {\nswitch s.Next() {\n" + cases.String() + "}\n}\ns.Done()",
	})
}

// mixedSmall is the body of the call by reference of a product of narrow types, whose
// variants may have kernels of other packages each. otherwise is what is left to do.
func (p *product) mixedSmall(otherwise string) string {
	var calls []string
	tables := map[string][]string{} // by the call that knows their kernels
	for _, m := range p.mods {
		if m.AtOnce > 1 {
			continue // of these small products take no other way
		}
		call := p.runName(m)
		if tables[call] == nil {
			calls = append(calls, call)
		}
		tables[call] = append(tables[call], "&"+p.V+"_"+m.Target.Name)
	}
	var body strings.Builder
	fmt.Fprintf(&body, "var s dense.Small\nswitch dense.SmallMixed(&s, &%sSet, opt, out, a, b) {\n", p.V)
	for _, call := range calls {
		fmt.Fprintf(&body, "case %s:\n%s(&s)\n", strings.Join(tables[call], ", "), call)
	}
	fmt.Fprintf(&body, "default:\n%s\n}", otherwise)
	return body.String()
}

// runName is the function that calls the kernels of small products by name, of one variant.
func (p *product) runName(m *Module) string {
	switch s := m.microStock(); {
	case s == nil && p.Standalone:
		return p.Name + "Run"
	case s == nil:
		return p.V + "Run"
	case path.Base(s.Folder) == p.Package:
		return s.Name + "Run"
	default:
		return s.in("Run")
	}
}
