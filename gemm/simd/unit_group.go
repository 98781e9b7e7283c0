package simd

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
)

// plainGroup is the group of a product without an epilogue.
func (p *product) plainGroup() []unit.Decl {
	if !p.Grouped {
		return nil
	}
	more, member := "", fmt.Sprintf("dense.Gemm(%s, &opt, &p.Out, &p.A, &p.B)", p.call("Set", "Group: g"))
	if p.semiring == nil {
		more = "Scaling run.Scaling // alpha and beta: run.Scale; Options.Scaling has to be unset\n"
		member = "opt.Scaling = p.Scaling\n" + member
	}
	return p.group(p.plainParams(), more, "g, opt, p", member)
}

// fusedGroup is the group of a product with an epilogue for a result of so many rows and
// columns.
func (p *product) fusedGroup(rows, cols string) []unit.Decl {
	if !p.Grouped {
		return nil
	}
	free := func(want string) string { return unit.Free(want, p.params) }
	g, opt, problem, e := free("g"), free("opt"), free("p"), free("e")
	member := fmt.Sprintf("%s := %s\n%s := run.NewEpilogue(%s.Name(%s), %s, %s)\n%sdense.Fuse(%s, &%s, &%s, &a, &b)", unit.Names(p.params), unit.Fields(p.params, problem),
		e, opt, p.called("Grouped"), rows, cols, unit.Binds(p.params, e), p.fusedCall("Group: "+g), opt, e)
	return p.group(p.params, "", fmt.Sprintf("%s, %s, %s", g, opt, problem), member)
}

// group are the type and the function of a group of products. member is done for each, with
// the group that it is checked for, options and the problem in variables of those names.
func (p *product) group(ps []unit.Param, more, variables, member string) []unit.Decl {
	v := strings.Split(variables, ", ")
	return []unit.Decl{
		unit.Problem(p.Name, ps, more),
		unit.Func{
			Doc: fmt.Sprintf("%sGrouped is %[1]sOpt for many products, each with a shape, strides and operands of its own, which the threads share out. "+
				"There is no order in which they are done, and what one writes is not to share memory with anything of another: see [dense.Grouped]. "+
				"It panics as %[1]s does, with the number of the problem, before an element of any is read.", p.Name),
			Name: p.Name + "Grouped", Params: []unit.Param{options, {Name: "problems", Type: "[]" + p.Name + "Problem"}},
			Body: fmt.Sprintf("dense.Grouped(%s, opt, problems, func(%s *dense.Group, %s run.Options, %s *%sProblem) {\n%s\n})", p.called("Grouped"), v[0], v[1], v[2], p.Name, member),
		},
	}
}
