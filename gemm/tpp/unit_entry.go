package tpp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
)

// entry are the functions that a user calls, and what they call.
func (l *lowering) entry(ps []unit.Param, q program) []unit.Decl {
	opt, e, stream := unit.Free("opt", ps), unit.Free("e", ps), unit.Free("stream", ps)
	options := unit.Param{Name: opt, Type: "run.Options"}
	all, zero := ps, "equation.Stream{}"
	if l.words != nil {
		all = append(slices.Clone(ps), unit.Param{Name: stream, Type: "equation.Stream"})
		zero = stream
	}
	doc := l.Doc
	if doc == "" {
		doc = "computes " + l.written()
	}
	text := fmt.Sprintf("%s %s. %s", l.Name, doc, q.about())
	text += "\nEach operator rounds to its type; sums are added in an order that depends on the instruction set and the shape. NaN gives NaN. It panics with a [layout.ShapeError], before an element is read, if shapes or lengths do " +
		"not agree, or " + q.memory() + "."
	return []unit.Decl{
		unit.Text("const _ = run.ABI7"),
		unit.Func{Doc: text, Name: l.Name, Params: all, Body: fmt.Sprintf("%sOpt(run.Options{Caller: %q}, %s)", l.Name, l.Name, unit.Names(all))},
		unit.Func{Doc: fmt.Sprintf("%sOpt is %[1]s with options: threads, a forced ISA.", l.Name), Name: l.Name + "Opt", Params: append([]unit.Param{options}, all...),
			Body: strings.ReplaceAll(q.start(ps, e), "$name", fmt.Sprintf("%s.Name(%q)", opt, l.Name+"Opt")) + fmt.Sprintf("%sEquation.Run(%s, &%s, %s%s)", l.v, opt, e, zero, q.sizes())},
		unit.Var{Name: l.v + "Equation", Value: q.table()},
	}
}

// about says what operands have.
func (l *lowering) about() string {
	var parts []string
	for _, has := range []struct {
		pattern gemm.Pattern
		what    string
	}{{gemm.RowPattern, "an element for each row"}, {gemm.ColumnPattern, "an element for each column"}} {
		var names []string
		for i, n := range l.outs {
			if n.pattern == has.pattern {
				names = append(names, l.Outs[i].Name)
			}
		}
		for _, n := range l.operands {
			if n.pattern == has.pattern {
				names = append(names, n.name)
			}
		}
		switch len(names) {
		case 0:
		case 1:
			parts = append(parts, names[0]+" has "+has.what+".")
		default:
			parts = append(parts, strings.Join(names, ", ")+" have "+has.what+".")
		}
	}
	var masks []string
	for s := range len(l.outs) + len(l.operands) {
		switch {
		case !l.bitSlot(s):
		case s < len(l.outs):
			masks = append(masks, l.Outs[s].Name)
		default:
			masks = append(masks, l.operands[s-len(l.outs)].name)
		}
	}
	if masks != nil {
		parts = append(parts, "Element (i, j) of "+strings.Join(masks, ", ")+" is bit j%8 of byte (i, j/8); rows are (n+7)/8 bytes, of which a last one that is not full ends with zeros in an output.")
	}
	if l.words != nil {
		parts = append(parts, "Element (i, j) has word r*i + j of the stream, where r is n rounded up to a multiple of 4.")
	}
	return strings.Join(parts, " ")
}

// written is the equation, an operator after the other, with names for what is used again.
func (l *lowering) written() string {
	uses := map[*node]int{}
	for _, n := range l.nodes {
		for _, a := range n.args {
			uses[a]++
		}
	}
	names := map[*node]string{}
	var lines []string
	for i, n := range l.nodes {
		var args []string
		for _, a := range n.args {
			args = append(args, names[a])
		}
		text := n.name
		if n.args != nil || n.kind == apply {
			text = fmt.Sprintf("%s(%s)", n.name, strings.Join(args, ", "))
		}
		if o := slices.Index(l.outs, n); o < 0 && (uses[n] == 1 || n.args == nil) {
			names[n] = text
			continue
		}
		name := fmt.Sprintf("t%d", i)
		if o := slices.Index(l.outs, n); o >= 0 {
			name = l.Outs[o].Name
		}
		if name != text {
			lines = append(lines, name+" = "+text)
		}
		names[n] = name
	}
	for o, n := range l.outs {
		if name := l.Outs[o].Name; names[n] != name {
			lines = append(lines, name+" = "+names[n])
		}
	}
	return strings.Join(lines, ", ")
}

// inPlace says which outputs may be operands.
func (l *lowering) inPlace() (text string) {
	apart := l.apart()
	for o, n := range l.outs {
		if n.pattern != gemm.FullPattern || l.outBits[o] {
			continue
		}
		for k, x := range l.operands {
			slot := len(l.outs) + k
			if x.pattern == gemm.FullPattern && x.t == n.t && !x.bits && !slices.Contains(apart, [2]int{o, slot}) {
				text += fmt.Sprintf("; %s may be %s itself", l.Outs[o].Name, x.name)
			}
		}
	}
	return text
}

// apart are the outputs that are written before all of an operand is read.
func (l *lowering) apart() (pairs [][2]int) {
	for o, n := range l.outs {
		if n.pattern != gemm.FullPattern || l.outBits[o] {
			continue
		}
		for k, x := range l.operands {
			if x.pattern != gemm.FullPattern || x.bits {
				continue
			}
			written, late := false, false
			for _, st := range l.stages {
				for _, q := range st.passes {
					late = late || written && contains(q.order, x)
					written = written || slices.Contains(q.stores, o)
				}
				// A stage reads nothing of the next row before, but the stage after it goes over
				// all rows.
			}
			if late {
				pairs = append(pairs, [2]int{o, len(l.outs) + k})
			}
		}
	}
	return pairs
}

// table is the equation as the run time takes it.
func (l *lowering) table() unit.Lit {
	stages := unit.Lit{Type: "[]equation.Stage"}
	for _, st := range l.stages {
		stages = stages.With(unit.Field{Value: l.stageLit(st)})
	}
	var temps, apart, bits []string
	for s := range len(l.outs) + len(l.operands) {
		if l.bitSlot(s) {
			bits = append(bits, fmt.Sprint(s))
		}
	}
	for _, n := range l.temps {
		temps = append(temps, fmt.Sprintf("{Bytes: %d, Scalar: %v}", n.t.Size(), n.pattern == gemm.ScalarPattern))
	}
	for _, p := range l.apart() {
		apart = append(apart, fmt.Sprintf("{%d, %d}", p[0], p[1]))
	}
	list := func(typ string, parts []string) unit.Expr {
		if parts == nil {
			return ""
		}
		return unit.Expr(typ + "{" + strings.Join(parts, ", ") + "}")
	}
	random := unit.Expr("")
	if l.words != nil {
		random = "true"
	}
	return unit.Lit{Type: "equation.Equation"}.With(
		unit.Field{Name: "Name", Value: unit.Expr(fmt.Sprintf("%q", l.Name))},
		unit.Field{Name: "Stages", Value: stages},
		unit.Field{Name: "Temps", Value: list("[]equation.Temp", temps)},
		unit.Field{Name: "Apart", Value: list("[][2]int", apart)},
		unit.Field{Name: "Bits", Value: list("[]int", bits)},
		unit.Field{Name: "Random", Value: random},
		unit.Field{Name: "Variants", Value: unit.Expr(l.v + "Variants")})
}

// stageLit is a stage as the run time takes it.
func (l *lowering) stageLit(st *stage) unit.Lit {
	one := unit.Lit{Type: "equation.Stage"}.With(unit.Field{Name: "Go", Value: unit.Expr(l.stageName(st))})
	if st.columns {
		one = one.With(unit.Field{Name: "Columns", Value: unit.Expr("true")})
	}
	if l.chop(st) {
		one = one.With(unit.Field{Name: "Chop", Value: unit.Expr("true")})
	}
	if len(st.spilled) > 0 {
		wide := 0
		for _, n := range st.spilled {
			wide = max(wide, n.t.Size())
		}
		one = one.With(unit.Field{Name: "Temps", Value: unit.Expr(fmt.Sprint(len(st.spilled)))}, unit.Field{Name: "Temp", Value: unit.Expr(fmt.Sprint(wide))})
	}
	var rs []string
	for _, n := range st.cols {
		rs = append(rs, fmt.Sprintf("{Slot: %d, Op: equation.%s, Type: dtype.%s, Scalar: %v}", l.place(n), n.op, strings.ToUpper(n.t.String()), n.pattern == gemm.ScalarPattern))
	}
	if rs != nil {
		one = one.With(unit.Field{Name: "Reduces", Value: unit.Expr("[]equation.Reduction{" + strings.Join(rs, ", ") + "}")})
	}
	return one
}

// chop reports whether columns have nothing to do with each other.
func (l *lowering) chop(st *stage) bool {
	if st.columns || len(st.cols) > 0 || len(st.ends) > 0 || len(st.passes) != 1 {
		return false
	}
	return len(st.passes[0].reduces) == 0
}

// stageName is the function of a stage in Go.
func (l *lowering) stageName(st *stage) string { return fmt.Sprintf("%sStage%d", l.v, st.number) }
