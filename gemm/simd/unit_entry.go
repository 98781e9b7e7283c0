package simd

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
)

const panics = "It panics with a [layout.ShapeError], before an element is read, if shapes do not agree, a slice is too short, " +
	"two elements of out share a place, or out shares memory with a or b. "

// entry are the functions that a user calls of a product without an epilogue.
func (p *product) entry() []unit.Decl {
	ps, ds := p.plainParams(), []unit.Decl{abi}
	doc, order := p.Name+" computes out = a*b, where a is m x k, b is k x n and out is m x n, each with any strides.", "rounding and NaN"
	opts := "threads, alpha and beta, a forced ISA"
	set := unit.Lit{Type: "dense.Set[" + p.Elem.Go() + "]"}.With(unit.Field{Name: "Name", Value: p.quoted()},
		unit.Field{Name: "Shape", Value: p.shapeField()}, unit.Field{Name: "Variants", Value: unit.Expr(p.v + "Variants")})
	if r := p.semiring; r != nil {
		doc = fmt.Sprintf("%s computes the product of a and b in another arithmetic, where a is m x k, b is k x n and out is m x n, each with any strides. %s The sum of nothing is %v.",
			p.Name, r.Sentence(), r.Zero)
		order, opts = "the order of sums", "threads, a forced ISA"
		set = set.With(unit.Field{Name: "Semiring", Value: r.Value()})
	}
	doc += "\n" + panics + "See [dense.Gemm] for " + order + "." + p.shapeDoc()
	short, long := p.v+"Set.Gemm(run.Options{}, out, a, b)", fmt.Sprintf("%sSet.Ref(%s, &opt, &out, &a, &b)", p.v, p.called("Opt"))
	switch {
	case p.direct():
		short = p.rowMajorCall()
	case p.byName():
		short, long = fmt.Sprintf("%sRef(%s, &run.Options{}, &out, &a, &b)", p.Name, p.called("")), fmt.Sprintf("%sRef(%s, &opt, &out, &a, &b)", p.Name, p.called("Opt"))
	}
	ds = append(ds, unit.Func{Doc: doc, Name: p.Name, Params: ps, Body: short},
		unit.Func{Doc: fmt.Sprintf("%sOpt is %[1]s with options: %s.", p.Name, opts), Name: p.Name + "Opt", Params: with(options, ps...), Body: long})
	if !p.Shape.All() {
		ds = append(ds, unit.Func{
			Doc:  fmt.Sprintf("%sBatched is %[1]sOpt for many products of one shape; see [dense.Batched].", p.Name),
			Name: p.Name + "Batched", Params: with(options, with(unit.Param{Name: "n", Type: "dense.Batch"}, ps...)...), Body: fmt.Sprintf("dense.Batched(%s, n, &opt, &out, &a, &b)", p.call("Set", "Name: "+p.called("Batched"))),
		})
	}
	if p.Name != p.v && p.semiring == nil {
		ds = append(ds, unit.Func{
			Doc:  fmt.Sprintf("%sSet returns the kernels behind %[1]s, for all else that a [dense.Set] can do.", p.Name),
			Name: p.Name + "Set", Result: "*" + set.Type, Body: "return &" + p.v + "Set",
		})
	}
	ds = append(ds, p.plainGroup()...)
	return append(ds, p.pack("Set"), unit.Var{Name: p.v + "Set", Value: set})
}

// call is the literal of a [dense.Call] of the Set in a variable, with more fields.
func (p *product) call(set string, fields ...string) string {
	return fmt.Sprintf("dense.Call[%s]{%s}", p.Elem.Go(), strings.Join(append([]string{"Set: &" + p.v + set}, fields...), ", "))
}

// byReference is the call for those who hand on parameters of their own, without assembly.
func (p *product) byReference() unit.Func {
	ps := []unit.Param{{Name: "name", Type: "string"}, {Name: "opt", Type: "*run.Options"}}
	for _, x := range p.plainParams() {
		x.Type = "*" + x.Type
		ps = append(ps, x)
	}
	body := fmt.Sprintf("dense.Gemm(%s, opt, out, a, b)", p.call("Set", "Name: name"))
	return unit.Func{
		Doc: fmt.Sprintf("%sRef is %[1]sOpt by reference, which leaves all four as they are: for those who hand on parameters of their own. "+
			"name is what errors call the function unless opt.Caller says. A small product takes no longer than copying the parameters.", p.Name),
		Name: p.Name + "Ref", Params: ps,
		Body: body,
	}
}
