package simd

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
)

// entry are the functions that a user calls of a product without an epilogue.
func (p *product) entry() []unit.Decl {
	what, opts, order, semiring := "computes out = a*b", "threads, alpha and beta, a forced ISA", "rounding and NaN", unit.Expr("")
	if p.mixed() {
		order = "sums and rounding"
	}
	sums := ""
	if r := p.Arithmetic; r != nil {
		what, opts, order, semiring = "computes the product of a and b in another arithmetic", "threads, a forced ISA", "the order of sums", r.Value()
		sums = fmt.Sprintf(" %s The sum of nothing is %v.", r.Sentence(), r.Zero)
	}
	doc := what + ", " + p.Fusion.Shapes("each with any strides") + sums +
		"\n" + unit.Panics("shapes do not agree", unit.Short, "two elements of out share a place", "out shares memory with a or b") + " See [dense.Gemm] for " + order + "." + p.shapeDoc()
	short, long := p.V+"Set.Gemm(run.Options{}, out, a, b)", fmt.Sprintf("%sSet.Ref(%s, &opt, &out, &a, &b)", p.V, p.API.Called("Opt"))
	switch {
	case p.direct():
		short = p.rowMajorCall()
	case p.byName():
		short, long = fmt.Sprintf("%sRef(%s, &run.Options{}, &out, &a, &b)", p.Name, p.API.Called("")), fmt.Sprintf("%sRef(%s, &opt, &out, &a, &b)", p.Name, p.API.Called("Opt"))
	}
	ds := p.API.Calls(doc, opts, short, long)
	if !p.Shape.All() && !p.mixed() {
		ds = append(ds, p.API.Func("Batched", fmt.Sprintf("is %sOpt for many products of one shape; see [dense.Batched].", p.Name),
			p.API.With(append([]unit.Param{{Name: "n", Type: "dense.Batch"}}, p.API.Params...)...), fmt.Sprintf("dense.Batched(%s, n, &opt, &out, &a, &b)", p.call("Set", "Name: "+p.API.Called("Batched")))))
	}
	set := p.set("Shape", p.shapeField("tiling"), "Variants", unit.Expr(p.V+"Variants"), "Semiring", semiring)
	if p.Name != p.V && p.Arithmetic == nil {
		ds = append(ds, p.API.Returning("*"+set.Type, "Set", fmt.Sprintf("returns the kernels behind %s, for all else that a [dense.Set] can do.", p.Name), nil, "return &"+p.V+"Set"))
	}
	more, scaling := "", ""
	if p.Arithmetic == nil {
		more, scaling = "Scaling run.Scaling // alpha and beta: run.Scale; Options.Scaling has to be unset\n", "opt.Scaling = p.Scaling\n"
	}
	ds = append(ds, p.group(more, fmt.Sprintf("%sdense.Gemm(%s, &opt, &p.Out, &p.A, &p.B)", scaling, p.call("Set", "Group: g")))...)
	return append(ds, p.pack("Set"), unit.Var{Name: p.V + "Set", Value: set})
}

// set is a [dense.Set] with more fields.
func (p *product) set(fields ...any) unit.Lit {
	var a, b unit.Expr
	if p.A != p.Elem || p.B != p.Elem {
		a, b = unit.DType(p.A.Go()), unit.DType(p.B.Go())
	}
	return unit.Struct("dense.Set["+p.Elem.Go()+"]", append([]any{"Name", p.Package + "." + p.Name, "A", a, "B", b}, fields...)...)
}

// group are the type and the function of a group of products, if the spec has them. more are fields of a problem, and
// member is what is done for each.
func (p *product) group(more, member string) []unit.Decl {
	if !p.Grouped {
		return nil
	}
	return p.API.Grouped("that the threads share out", fmt.Sprintf("See [dense.Grouped]. It panics as %s does, with the number of the problem, before an element of any is read.", p.Name), more,
		fmt.Sprintf("dense.Grouped(%s, $opt, problems, func($g *dense.Group, $opt run.Options, $p *%sProblem) {\n%s\n})", p.API.Called("Grouped"), p.Name, member))
}

// call is the literal of a [dense.Call] of the Set in a variable, with more fields.
func (p *product) call(set string, fields ...string) string {
	return fmt.Sprintf("dense.Call[%s]{%s}", p.Elem.Go(), strings.Join(append([]string{"Set: &" + p.V + set}, fields...), ", "))
}

// byReference is the call for those who hand on parameters of their own, without assembly.
func (p *product) byReference() unit.Func {
	ps := []unit.Param{{Name: "name", Type: "string"}, {Name: "opt", Type: "*run.Options"}}
	for _, x := range p.API.Params {
		x.Type = "*" + x.Type
		ps = append(ps, x)
	}
	return p.API.Func("Ref", fmt.Sprintf("is %sOpt by reference, which leaves all four as they are: for those who hand on parameters of their own. "+
		"name is what errors call the function unless opt.Caller says. A small product takes no longer than copying the parameters.", p.Name),
		ps, fmt.Sprintf("dense.Gemm(%s, opt, out, a, b)", p.call("Set", "Name: name")))
}
