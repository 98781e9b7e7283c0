package tpp

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
)

// oracle checks every variant against the operators one after the other.
func (l *lowering) oracle() *unit.Oracle {
	steps := unit.Lit{Type: "[]check.Step"}
	for _, n := range l.nodes {
		steps = steps.With(unit.Field{Value: l.step(n)})
	}
	var outs []string
	next := len(l.nodes)
	for o, n := range l.outs {
		at := l.index(n)
		if l.outBits[o] { // one more step
			steps = steps.With(unit.Field{Value: unit.Inline("Name", l.Outs[o].Name, "Op", "Bit", "Row", true, "Col", true, "Type", unit.Expr("dtype.F32"), "Space", l.spaceOf(n), "Args", unit.Exprf("[]int{%d}", at))})
			at, next = next, next+1
		}
		outs = append(outs, fmt.Sprint(at))
	}
	var stream []string
	if l.words != nil {
		stream = []string{"equation.Stream{Seed: p.Stream[0], Number: p.Stream[1], First: p.Stream[2]}"}
	}
	o := l.Described(unit.Struct("check.Case",
		"Name", l.Name,
		"Op", unit.Struct("check.Equation", "Steps", steps, "Outs", unit.List("[]int", outs)),
		"Call", l.API.Call("opt", stream...)), unit.Check{})
	o.Checks[0].Doc = "checks every variant that this machine runs, and the portable one, against the operators one after the other."
	return o
}

// step is a node as the oracle takes it.
func (l *lowering) step(n *node) unit.Expr {
	kind := map[kind]string{operand: "Operand", apply: "Map", convert: "Map", words: "Words", rows: "Rows", cols: "Cols", number: "Column", rowNumber: "Row", rowReduce: "Row" + n.op.String(), colReduce: "Col" + n.op.String(), product: n.name}[n.kind]
	depth, ulp, strict, f := unit.Expr(""), unit.Expr(""), unit.Expr(""), ""
	if l.widths != nil {
		if _, ok := l.widths.rows[n]; ok {
			depth = unit.Exprf("%d", l.depth(n))
		}
	}
	var args, typed []string
	for i, a := range n.args {
		args = append(args, fmt.Sprint(l.index(a)))
		typed = append(typed, unit.Typed(a.elem(), fmt.Sprintf("x[%d]", i)))
	}
	switch n.kind {
	case apply:
		call := l.calls[n]
		ulp, strict = unit.Exprf("%v", call.ULP), unit.Exprf("%v", call.Strict)
		f = unit.Float(n.elem(), call.Expr+"("+strings.Join(typed, ", ")+")")
	case convert:
		strict, f = "true", fmt.Sprintf("check.Float64(check.Elem[%s](x[0]))", n.elem())
	}
	return unit.Inline("Name", n.name, "Op", kind, "Type", unit.DType(n.elem()),
		"Row", n.pattern == gemm.FullPattern || n.pattern == gemm.RowPattern, "Col", n.pattern == gemm.FullPattern || n.pattern == gemm.ColumnPattern,
		"Bits", n.kind == operand && n.bits, "Space", l.spaceOf(n), "Factor", depth != "", "Rows", depth, "Args", unit.List("[]int", args),
		"ULP", ulp, "Strict", strict, "F", unit.When(f != "", "func(x []float64) float64 { return %s }", f))
}

// spaceOf is the number of the width that a step has, 0 for the first.
func (l *lowering) spaceOf(n *node) int {
	if n.kind == cols && n.of != nil {
		n = n.of
	}
	return max(0, l.space(n))
}
