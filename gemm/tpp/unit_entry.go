package tpp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
)

// entry are the functions that a user calls, and what they call.
func (l *lowering) entry(q program) []unit.Decl {
	stream := "equation.Stream{}"
	if l.words != nil {
		stream = "$stream"
		l.API.Params = append(slices.Clone(l.API.Params), unit.Param{Name: stream, Type: "equation.Stream"})
	}
	doc := cmp.Or(l.Doc, "computes "+l.written()) + ". " + q.about() +
		"\nEach operator rounds to its type; sums are added in an order that depends on the instruction set and the shape. NaN gives NaN. " +
		unit.Panics("shapes or lengths do not agree", q.memory())
	calls := l.API.Calls(doc, "threads, a forced ISA", "", fmt.Sprintf("%s%sEquation.Run($opt, &$e, %s%s)", q.start(), l.V, stream, q.sizes()))
	return append(calls, unit.Var{Name: l.V + "Equation", Value: q.table()})
}

// param is the parameter in a slot.
func (l *lowering) param(slot int) (name string, n *node) {
	if slot < len(l.outs) {
		return l.Outs[slot].Name, l.outs[slot]
	}
	n = l.operands[slot-len(l.outs)]
	return n.name, n
}

// about says what operands have.
func (l *lowering) about() string {
	var parts, masks []string
	for _, has := range []struct {
		pattern gemm.Pattern
		what    string
	}{{gemm.RowPattern, "an element for each row"}, {gemm.ColumnPattern, "an element for each column"}} {
		var names []string
		for s := range len(l.outs) + len(l.operands) {
			if name, n := l.param(s); n.pattern == has.pattern {
				names = append(names, name)
			}
		}
		verb := " have "
		if len(names) == 1 {
			verb = " has "
		}
		if names != nil {
			parts = append(parts, strings.Join(names, ", ")+verb+has.what+".")
		}
	}
	for s := range len(l.outs) + len(l.operands) {
		if name, _ := l.param(s); l.bitSlot(s) {
			masks = append(masks, name)
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
					late = late || written && slices.Contains(q.order, x)
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
	return unit.Struct("equation.Equation", "Name", l.Name, "Stages", stages, "Temps", unit.List("[]equation.Temp", temps), "Apart", unit.List("[][2]int", apart),
		"Bits", unit.List("[]int", bits), "Random", l.words != nil, "Variants", unit.Expr(l.V+"Variants"))
}

// stageLit is a stage as the run time takes it.
func (l *lowering) stageLit(st *stage) unit.Lit {
	wide := 0 // bytes of the widest temporary
	for _, n := range st.spilled {
		wide = max(wide, n.t.Size())
	}
	var rs []string
	for _, n := range st.cols {
		rs = append(rs, fmt.Sprintf("{Slot: %d, Op: equation.%s, Type: dtype.%s, Scalar: %v}", l.place(n), n.op, strings.ToUpper(n.t.String()), n.pattern == gemm.ScalarPattern))
	}
	return unit.Struct("equation.Stage", "Go", unit.Expr(l.stageName(st)), "Columns", st.columns, "Chop", l.chop(st),
		"Temps", len(st.spilled), "Temp", wide, "Reduces", unit.List("[]equation.Reduction", rs))
}

// chop reports whether columns have nothing to do with each other.
func (l *lowering) chop(st *stage) bool {
	if st.columns || len(st.cols) > 0 || len(st.ends) > 0 || len(st.passes) != 1 {
		return false
	}
	return len(st.passes[0].reduces) == 0
}

// stageName is the function of a stage in Go.
func (l *lowering) stageName(st *stage) string { return fmt.Sprintf("%sStage%d", l.V, st.number) }
