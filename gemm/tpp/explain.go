package tpp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
)

// Explain is the method of a [unit.Explainer]. It describes the schedule of stages and
// passes: what each reads, computes, keeps in L1 and stores, and the bytes of memory that
// are saved.
func (s Spec) Explain(c *unit.Context) (string, error) {
	l, err := s.plan(unit.NewDraft(c, s.Name, "", nil))
	if err != nil {
		return "", fmt.Errorf("tpp: %s: %w", s.Name, err)
	}
	if l.widths == nil {
		return l.schedule() + l.saved(), nil
	}
	ch, err := l.asChain()
	if err != nil {
		return "", fmt.Errorf("tpp: %s: %w", s.Name, err)
	}
	return ch.schedule(), nil
}

// schedule writes the plan.
func (l *lowering) schedule() string {
	var b strings.Builder
	for _, st := range l.stages {
		b.WriteString(l.stageText(st))
	}
	return b.String()
}

// saved is what the plan saves in memory.
func (l *lowering) saved() string {
	apart, fused := l.traffic()
	return fmt.Sprintf("memory     %v bytes an element of the matrix; its operators one by one take %v, %v are saved\n", fused, apart, apart-fused)
}

// stageText writes a stage.
func (l *lowering) stageText(st *stage) string {
	var b strings.Builder
	over := "every row"
	if st.columns {
		over = "results of columns"
	}
	fmt.Fprintf(&b, "stage %d, over %s\n", st.number, over)
	line := func(what string, parts []string) {
		if len(parts) > 0 {
			fmt.Fprintf(&b, "    %-10s %s\n", what, strings.Join(parts, ", "))
		}
	}
	line("once", l.computed(st, slices.Concat(st.scalars, st.firsts), nil))
	for i, q := range st.passes {
		if len(q.order) > 0 {
			fmt.Fprintf(&b, "  pass %d along the row\n", i+1)
		}
		var reads, from, kept, stored, sums []string
		for _, n := range q.order {
			switch {
			case slices.Contains(q.loaded, n):
				from = append(from, l.label(n))
			case l.isLeaf(n, st.number):
				reads = append(reads, l.label(n)+ofBits(n.bits))
			}
		}
		for _, n := range q.spills {
			kept = append(kept, l.label(n))
		}
		for _, o := range q.stores {
			if o < len(l.outs) {
				stored = append(stored, l.Outs[o].Name+ofBits(l.outBits[o]))
			} else {
				stored = append(stored, l.label(l.plan.at(o)))
			}
		}
		for _, n := range slices.Concat(q.reduces, q.cols) {
			sums = append(sums, l.label(n))
		}
		line("reads", reads)
		line("from L1", from)
		line("computes", l.computed(st, q.order, q))
		line("to L1", kept)
		line("reduces", sums)
		line("stores", stored)
		line("then", l.computed(st, q.narrow, nil))
	}
	var ends []string
	for _, n := range slices.Concat(st.ends, st.totals) {
		ends = append(ends, l.label(n))
	}
	line("row ends", ends)
	for _, n := range st.spilled {
		fmt.Fprintf(&b, "    L1         %s: %d bytes a column, for %d operations less in a later pass\n", l.label(n), n.t.Size(), l.chain(st, n))
	}
	return b.String()
}

func ofBits(is bool) string {
	if is {
		return " (bits)"
	}
	return ""
}

// computed lists the operators among nodes.
func (l *lowering) computed(st *stage, nodes []*node, q *pass) (list []string) {
	for _, n := range nodes {
		if n.kind != operand && n.kind != rowReduce && !l.isLeaf(n, st.number) && (q == nil || !slices.Contains(q.loaded, n)) {
			list = append(list, l.label(n))
		}
	}
	return list
}

// label is a node with a number, if it is not an operand.
func (l *lowering) label(n *node) string {
	if n.args == nil && n.kind != apply {
		return n.name
	}
	return fmt.Sprintf("%s#%d", n.name, l.index(n))
}

// chain is what computing a spilled node again would take.
func (l *lowering) chain(st *stage, n *node) int {
	c := l.cost(n)
	for _, a := range n.args {
		c += l.anew(st, a)
	}
	return c
}

// bytesOf is how many an element of a slot takes, of bits an eighth.
func (l *lowering) bytesOf(n *node, bits bool) float64 {
	if bits {
		return 1. / 8
	}
	return float64(n.t.Size())
}

// traffic is how many bytes of matrices are read and written for each element: if every
// operator were a walk of its own, and as planned. A row that stays in L1 counts once.
func (l *lowering) traffic() (apart, fused float64) {
	for _, n := range l.nodes {
		if n.args == nil {
			continue
		}
		for i, a := range n.args {
			if a.pattern == gemm.FullPattern && a.kind != words && !slices.Contains(n.args[:i], a) {
				apart += l.bytesOf(a, a.bits)
			}
		}
		if n.pattern == gemm.FullPattern {
			apart += l.bytesOf(n, false)
		}
	}
	for o, n := range l.outs {
		if l.outBits[o] {
			apart += l.bytesOf(n, false) + l.bytesOf(n, true)
		}
	}
	for _, st := range l.stages {
		var read []*node
		for _, q := range st.passes {
			for _, n := range q.order {
				if n.kind == operand && n.pattern == gemm.FullPattern && !slices.Contains(read, n) {
					read = append(read, n)
					fused += l.bytesOf(n, n.bits)
				}
			}
			for _, o := range q.stores {
				if o < len(l.outs) && l.outs[o].pattern == gemm.FullPattern {
					fused += l.bytesOf(l.outs[o], l.outBits[o])
				}
			}
		}
	}
	return apart, fused
}
