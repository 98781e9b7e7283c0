package gpu

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// entry are the functions that a user calls, and the kernels.
func (p *product) entry() []unit.Decl {
	opts := "a forced kernel or schedule"
	if p.Fusion == nil {
		opts = "alpha and beta, " + opts
	}
	batch := p.API.With(p.API.Params...)
	for i, x := range batch {
		batch[i].Type = strings.Replace(x.Type, "cuda.Matrix[", "run.Batch[", 1)
	}
	ds := append(p.API.Calls(p.doc(), opts, "", p.call(false)),
		p.API.Func("Batched", fmt.Sprintf("is %sOpt for many products of one shape in one launch. "+
			"Vectors are one for all products, or one a product, one after the other.", p.Name), batch, p.call(true)),
		p.API.Returning("*run.Set", "Kernels", "describes the kernels, for tools, and for those who close a device: see [run.Set.Forget].", nil, "return &"+p.V+"Set"))
	if p.grouped {
		ds = append(ds, p.group()...)
	}
	for _, m := range p.mods {
		ds = append(ds, unit.Var{Embed: unit.TextFile(p.Name, m.Target), Name: m.text(), Type: "string"})
	}
	return append(ds, unit.Var{Name: p.V + "Set", Value: p.kernels()})
}

// group are the type and the function of a group of products.
func (p *product) group() []unit.Decl {
	scaling, more := "", ""
	if p.Fusion == nil && !p.Acc.Integer() {
		more = "Scaling run.Scaling // alpha and beta: run.Scale; Options.Scaling is not read\n"
		scaling = "opt.Scaling = p.Scaling\n"
	}
	return p.API.Grouped("in one launch", "All are done by the kernel that takes each of them as it lies: see [run.Gather.Group]. An error names the problem, and nothing is queued.", more,
		fmt.Sprintf("return run.Grouped($opt, problems, func(opt run.Options, p *%sProblem) error {\n%sreturn %[1]sOpt($stream, opt, %[3]s)\n})", p.Name, scaling, p.API.Fields("p")))
}

// text is the variable that holds the PTX.
func (m *Module) text() string {
	return unit.Lower(m.Name) + "PTX" + strings.TrimPrefix(m.Target.Name, "sm_")
}

// call is the body of an entry point.
func (p *product) call(batch bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "$call := run.Begin(&%sSet, $stream, $opt)\n", p.V)
	// Numbers are handed over in the order of slots, of which zero points are the last.
	zero := func(x unit.Param) bool { return x.Role == unit.ZeroPoint }
	for _, x := range append(slices.DeleteFunc(slices.Clone(p.API.Params), zero), unit.Of(p.API.Params, unit.ZeroPoint)...) {
		bind := x.Bind
		if bind == "" {
			continue
		}
		if batch && strings.HasPrefix(x.Type, "cuda.Matrix[") {
			bind = strings.TrimSuffix(bind, "Of") + "Batch"
		}
		fmt.Fprintf(&b, "run.%s($call, %s)\n", bind, x.Name)
	}
	return b.String() + "return $call.Launch()"
}

// doc is the comment of the entry point.
func (p *product) doc() string {
	product := "a*b"
	switch {
	case p.Fusion != nil && p.Fusion.Zeros != (gemm.Zeros{}):
		product = p.Fusion.Product()
	case p.operator == gemm.TF32:
		product = "a*b in tf32"
	case p.operator == gemm.F16Sums:
		product = "a*b with sums of f16"
	case !p.isProduct():
		product = "a*b in " + strings.TrimPrefix(p.Op.String(), "simt.")
	}
	formula, strides := "out = "+product, "each with any strides"
	if p.Fusion != nil {
		formula = p.Fusion.Formula(p.Callee.Expr, "out", product) + " for each element of the product"
	}
	if p.Sparse != 0 {
		strides = "a being 2:4 sparse and the others with any strides"
	}
	return "queues " + formula + ", " + p.Fusion.Shapes(strides) + "\n" +
		"It returns an error, with nothing queued, if shapes do not agree, an operand is on another device, or an output shares memory with anything else. " +
		"What goes wrong later is reported by the stream."
}

// kernels is the set of them as Go writes it.
func (p *product) kernels() unit.Lit {
	acc := unit.Expr("")
	if p.Acc != dtype.F32 {
		acc = unit.DType(p.Acc.Go())
	}
	slots, targets := unit.Lit{Type: "[]run.Slot"}, unit.Lit{Type: "[]run.Target"}
	for _, s := range p.Slots {
		reduce, col := unit.Expr(""), false
		if s.Kind == PartialSlot || s.Kind == SecondSlot {
			r := p.Fusion.Reduces[s.Reduce]
			switch col = r.Col; {
			case r.Op.Arg():
				reduce = "run.Indices"
			case r.Op == gemm.LogSumExp:
				reduce = "run.Pairs"
			}
		}
		slots = slots.With(unit.Field{Value: unit.Inline("Name", s.Name, "Kind", unit.Expr("run."+s.kind()), "Type", unit.DType(s.Type.Go()), "Reduce", reduce, "Col", col)})
	}
	for _, m := range p.mods {
		kernels := unit.Lit{Type: "[]run.Kernel"}
		for _, k := range m.Kernels {
			parts := unit.Expr("")
			if k.Split {
				parts = unit.Exprf("run.Part{Name: %q, Shared: %d}", k.Parts.Name, k.Parts.Shared)
			}
			kernels = kernels.With(unit.Field{Value: unit.Inline("Name", k.Func.Name, "Tile", unit.Exprf("%#v", k.Tile), "Threads", k.Func.Threads, "Shared", k.Func.Shared,
				"Unit", k.B.Unit, "AK", k.A.KMajor, "BK", k.B.KMajor, "Wide", k.Wide, "Grouped", k.Grouped, "Parts", parts)})
		}
		var joins []string
		for _, j := range m.Joins {
			joins = append(joins, fmt.Sprintf("%q", j.Name))
		}
		targets = targets.With(unit.Field{Value: unit.Struct("", "PTX", unit.Expr(m.text()), "Kernels", kernels, "Joins", unit.List("[]string", joins), "Pad", m.Pad.Name)})
	}
	return unit.Struct("run.Set", "Name", unit.GPUFolder+"."+p.Name, "A", unit.DType(p.A.Go()), "B", unit.DType(p.B.Go()), "Acc", acc, "Plain", p.Fusion == nil,
		"Slots", slots, "Targets", targets)
}

// kind is the name of the slot's kind in package run.
func (s Slot) kind() string {
	return map[SlotKind]string{OutputSlot: "Output", OperandSlot: s.Pattern.Kind(), PartialSlot: "Partial", SecondSlot: "Second", HiddenSlot: "Hidden", MetaSlot: "Meta", ZeroSlot: "Scalar"}[s.Kind]
}
