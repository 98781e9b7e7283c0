package tpp

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
)

// portable is a stage in Go. It runs where there is no assembly, and for elements that are
// not adjacent along a row.
func (l *lowering) portable(st *stage) unit.Func {
	g := &goStage{lowering: l, st: st}
	for _, n := range st.scalars {
		g.narrow(n, "0")
	}
	g.printf("for i := range int(a.Rows) {\n")
	for _, n := range st.firsts {
		g.narrow(n, "i")
	}
	for _, q := range st.passes {
		g.pass(q)
		for _, n := range q.narrow {
			if n.kind != rowReduce || l.isLeaf(n, st.number) {
				g.narrow(n, "i")
			}
		}
	}
	done := map[int]bool{}
	for _, n := range st.totals {
		at := fmt.Sprintf("epilogue.Load[%s](a, %d, 0, 0)", n.elem(), l.place(n))
		g.printf("epilogue.Store(a, %d, 0, 0, %s)\n", l.place(n), joined(n.op, n.elem(), at, g.name(n.args[0])))
	}
	for _, n := range st.ends {
		for o, x := range l.outs {
			if x == n && !done[o] {
				done[o] = true
				g.printf("epilogue.Store(a, %d, i, 0, %s)\n", o, g.name(n))
			}
		}
		if p := l.place(n); p >= len(l.outs)+len(l.operands) && !done[p] {
			done[p] = true
			g.printf("epilogue.Store(a, %d, i, 0, %s)\n", p, g.name(n))
		}
	}
	g.printf("}\n")
	return unit.Func{
		Doc:  fmt.Sprintf("%s is stage %d where there is no assembly, and of rows that are not contiguous.", l.stageName(st), st.number),
		Name: l.stageName(st), Params: []unit.Param{{Name: "a", Type: "*kernel.EpiArgs"}}, Body: g.String(),
	}
}

type goStage struct {
	*lowering
	st *stage
	strings.Builder
}

func (g *goStage) printf(format string, args ...any) { fmt.Fprintf(g, format, args...) }

func (g *goStage) name(n *node) string { return fmt.Sprintf("v%d", g.index(n)) }

// narrow declares a narrow node.
func (g *goStage) narrow(n *node, row string) {
	text := ""
	switch {
	case n.kind == rows:
		text = fmt.Sprintf("equation.Count[%s](a.M32, a.M64)", n.elem())
	case n.kind == cols:
		text = fmt.Sprintf("equation.Count[%s](a.N32, a.N64)", n.elem())
	case n.kind == rowNumber:
		text = fmt.Sprintf("int32(int(a.Row) + %s)", row)
	case g.isLeaf(n, g.st.number):
		text = fmt.Sprintf("epilogue.Load[%s](a, %d, %s, 0)", n.elem(), g.place(n), row)
	default:
		text = g.expression(n, g.args(n))
	}
	g.printf("%s := %s\n", g.name(n), text)
}

func (g *goStage) args(n *node) (args []string) {
	for _, a := range n.args {
		args = append(args, g.name(a))
	}
	return args
}

func (g *goStage) pass(q *pass) {
	if len(q.order) == 0 {
		return
	}
	for _, r := range q.reduces {
		id := identity(r.op, r.t)
		zero := fmt.Sprintf("%.0f", id)
		if math.IsInf(id, 0) {
			zero = fmt.Sprintf("math.Inf(%d)", int(math.Copysign(1, id)))
		}
		g.printf("%s := %s(%s)\n", g.name(r), r.elem(), zero)
	}
	g.printf("for j := range int(a.Cols) {\n")
	temp := func(n *node) string {
		return fmt.Sprintf("*equation.Temporary[%s](a, %d, j)", n.elem(), slices.Index(g.st.spilled, n))
	}
	for _, n := range q.order {
		text := ""
		switch {
		case slices.Contains(q.loaded, n):
			text = temp(n)
		case n.kind == words:
			text = "equation.Word(a, i, j)"
		case n.kind == number:
			text = "int32(j)"
		case n.bits:
			text = fmt.Sprintf("equation.LoadBit[%s](a, %d, i, j)", n.elem(), g.place(n))
		case g.isLeaf(n, g.st.number):
			text = fmt.Sprintf("epilogue.Load[%s](a, %d, i, j)", n.elem(), g.place(n))
		default:
			text = g.expression(n, g.args(n))
		}
		g.printf("%s := %s\n", g.name(n), text)
	}
	for _, n := range q.spills {
		g.printf("%s = %s\n", temp(n), g.name(n))
	}
	for _, s := range q.stores {
		if g.bitSlot(s) {
			g.printf("equation.StoreBit(a, %d, i, j, %s != 0)\n", s, g.name(g.at(s)))
			continue
		}
		g.printf("epilogue.Store(a, %d, i, j, %s)\n", s, g.name(g.at(s)))
	}
	for _, c := range q.cols {
		old := fmt.Sprintf("epilogue.Load[%s](a, %d, i, j)", c.elem(), g.place(c))
		g.printf("epilogue.Store(a, %d, i, j, %s)\n", g.place(c), joined(c.op, c.elem(), old, g.name(c.args[0])))
	}
	for _, r := range q.reduces {
		g.printf("%s = %s\n", g.name(r), joined(r.op, r.elem(), g.name(r), g.name(r.args[0])))
	}
	g.printf("}\n")
}
