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
			steps = steps.With(unit.Field{Value: unit.Exprf("{Name: %q, Op: \"Bit\", Row: true, Col: true, Type: dtype.F32%s, Args: []int{%d}}", l.Outs[o].Name, l.spaceText(n), at)})
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
	var b strings.Builder
	fmt.Fprintf(&b, "{Name: %q, Op: %q, Type: %s", n.name, kind, unit.DType(n.elem()))
	if n.pattern == gemm.FullPattern || n.pattern == gemm.RowPattern {
		b.WriteString(", Row: true")
	}
	if n.pattern == gemm.FullPattern || n.pattern == gemm.ColumnPattern {
		b.WriteString(", Col: true")
	}
	if n.kind == operand && n.bits {
		b.WriteString(", Bits: true")
	}
	b.WriteString(l.spaceText(n))
	if l.widths != nil {
		if _, ok := l.widths.rows[n]; ok {
			fmt.Fprintf(&b, ", Factor: true, Rows: %d", l.depth(n))
		}
	}
	if n.args != nil {
		var args, typed []string
		for i, a := range n.args {
			args = append(args, fmt.Sprint(l.index(a)))
			typed = append(typed, unit.Typed(a.elem(), fmt.Sprintf("x[%d]", i)))
		}
		fmt.Fprintf(&b, ", Args: []int{%s}", strings.Join(args, ", "))
		switch n.kind {
		case apply:
			call := l.calls[n]
			fmt.Fprintf(&b, ", ULP: %v, Strict: %v, F: func(x []float64) float64 { return %s }", call.ULP, call.Strict, unit.Float(n.elem(), call.Expr+"("+strings.Join(typed, ", ")+")"))
		case convert:
			fmt.Fprintf(&b, ", Strict: true, F: func(x []float64) float64 { return check.Float64(check.Elem[%s](x[0])) }", n.elem())
		}
	} else if n.kind == apply {
		call := l.calls[n]
		fmt.Fprintf(&b, ", ULP: %v, Strict: %v, F: func(x []float64) float64 { return %s }", call.ULP, call.Strict, unit.Float(n.elem(), call.Expr+"()"))
	}
	b.WriteString("}")
	return unit.Expr(b.String())
}

// spaceText says which width a step has, if not the first.
func (l *lowering) spaceText(n *node) string {
	if n.kind == cols && n.of != nil {
		n = n.of
	}
	if s := l.space(n); s > 0 {
		return fmt.Sprintf(", Space: %d", s)
	}
	return ""
}
