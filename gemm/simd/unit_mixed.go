package simd

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// typeNames are the element types as Go names their values.
var typeNames = map[dtype.Type]string{
	dtype.F32: "F32", dtype.F64: "F64", dtype.TypeF16: "TypeF16", dtype.TypeBF16: "TypeBF16",
	dtype.I8: "I8", dtype.U8: "U8", dtype.I16: "I16", dtype.I32: "I32",
}

// mixedEntry are the functions that a user calls of a product whose operands are of other
// types than its sums.
func (p *product) mixedEntry() []unit.Decl {
	ps := p.plainParams()
	doc := fmt.Sprintf("%s computes out = a*b, where a is m x k, b is k x n and out is m x n, each with any strides.\n%sSee [dense.Gemm] for sums and rounding.", p.Name, panics)
	typ := func(t dtype.Type) unit.Expr { return unit.Expr("dtype." + typeNames[t]) }
	set := unit.Lit{Type: "dense.Set[" + p.Elem.Go() + "]"}.With(unit.Field{Name: "Name", Value: p.quoted()}, unit.Field{Name: "A", Value: typ(p.A)},
		unit.Field{Name: "B", Value: typ(p.B)}, unit.Field{Name: "Variants", Value: unit.Expr(p.v + "Variants")})
	call := func(name, opt string) string { return fmt.Sprintf("%sRef(%s, %s, &out, &a, &b)", p.Name, name, opt) }
	return append([]unit.Decl{
		abi,
		unit.Func{Doc: doc, Name: p.Name, Params: ps, Body: call(p.called(""), "&run.Options{}")},
		unit.Func{Doc: fmt.Sprintf("%sOpt is %[1]s with options: threads, alpha and beta, a forced ISA.", p.Name), Name: p.Name + "Opt",
			Params: with(options, ps...), Body: call(p.called("Opt"), "&opt")},
		unit.Func{Doc: fmt.Sprintf("%sSet returns the kernels behind %[1]s, for all else that a [dense.Set] can do.", p.Name),
			Name: p.Name + "Set", Result: "*" + set.Type, Body: "return &" + p.v + "Set"},
		p.pack("Set"),
		unit.Var{Name: p.v + "Set", Value: set},
	}, p.plainGroup()...)
}

// mixedOracle checks every variant against the oracles.
func (p *product) mixedOracle() *unit.Oracle {
	mr, nr := p.tile()
	depth, own := 1, "" // what differs between variants
	for _, m := range p.mods {
		depth = max(depth, m.Depth)
		var is []string
		if m.Heights > 1 {
			is = append(is, fmt.Sprintf("c.MR, c.NR, c.KC = %d, %d, %d", m.MR, m.NV*m.VL, tiling.KCTiles*m.Depth))
		}
		if m.Op == gemm.BF16Dot || m.Op == gemm.BF16Tiles {
			is = append(is, "c.Flushes = true")
		}
		if is != nil {
			own += fmt.Sprintf("if isa == %q {\n%s\n}\n", m.Target.Name, strings.Join(is, "\n"))
		}
	}
	types := fmt.Sprintf("[%s, %s, %s, %[3]s]", p.A.Go(), p.B.Go(), p.Elem.Go())
	return &unit.Oracle{
		ISAs: p.isas(),
		Checks: []unit.Check{{Doc: every, Body: fmt.Sprintf(`c := check.MixedCase%[1]s{
	Name: %[2]q, MR: %[3]d, NR: %[4]d, KC: %[5]d, Threads: true,
	Call: func(threads int, out layout.Matrix[%[6]s], a layout.Matrix[%[7]s], b layout.Matrix[%[8]s]) {
		%[2]sOpt(run.Options{ISA: isa, Threads: threads}, out, a, b)
	},
	Store: func(sum %[6]s) %[6]s { return sum },
}
%[9]scheck.Mixed(t, c)`, types, p.Name, mr, nr, tiling.KCMax*depth, p.Elem.Go(), p.A.Go(), p.B.Go(), own)}},
	}
}
