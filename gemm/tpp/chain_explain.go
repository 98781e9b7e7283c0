package tpp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/gemm"
)

// schedule writes the steps of a chain, what a block of rows leaves in cache, and what that saves.
func (c *chain) schedule() string {
	var b strings.Builder
	fmt.Fprintf(&b, "chain      %s\n", c.about())
	phases := c.steps[len(c.steps)-1].phase + 1
	for i, s := range c.steps {
		if phases > 1 && (i == 0 || s.phase != c.steps[i-1].phase) {
			fmt.Fprintf(&b, "phase %d, over all rows, block by block\n", s.phase)
		}
		if n := s.product; n != nil {
			a, f := n.args[0], n.args[1]
			fmt.Fprintf(&b, "product    %s = %s (%s wide) by %s (%s x %s), %s: its b is read once for a block of rows\n",
				c.label(n), c.label(a), widthName(c.space(a)), f.name, widthName(c.depth(f)), widthName(c.space(f)), n.t.Go())
			continue
		}
		fmt.Fprintf(&b, "part, %s wide\n", widthName(s.part.at.space))
		for _, line := range strings.SplitAfter(s.part.stageText(s.st), "\n") {
			if line != "" {
				b.WriteString("  " + line)
			}
		}
	}
	c.rooms(&b)
	apart, fused := c.traffic()
	fmt.Fprintf(&b, "memory     %s bytes a row; its operators one by one take %s\n", fused, apart)
	return b.String()
}

// rooms says what steps leave to each other.
func (c *chain) rooms(b *strings.Builder) {
	block, whole := &widths{}, &widths{}
	for _, v := range c.values[len(c.outs)+len(c.operands):] {
		switch {
		case !v.byRows():
		case v.whole:
			whole.add(c, v.n, float64(v.n.t.Size()))
		default:
			block.add(c, v.n, float64(v.n.t.Size()))
		}
	}
	fmt.Fprintf(b, "block      %s bytes a row, which half of L2 has room for or which 144 rows take\n", block)
	if len(whole.of) > 0 || whole.rows > 0 {
		fmt.Fprintf(b, "all rows   %s bytes a row, since a later phase needs them\n", whole)
	}
}

// widths are bytes of a row, for each column of each width, and beside these.
type widths struct {
	of   []float64
	rows float64
}

func (w *widths) add(c *chain, n *node, bytes float64) {
	if n.pattern == gemm.RowPattern {
		w.rows += bytes
		return
	}
	for len(w.of) < c.widths.count() {
		w.of = append(w.of, 0)
	}
	w.of[c.space(n)] += bytes
}

// String is a sum.
func (w *widths) String() string {
	var parts []string
	for s, x := range w.of {
		if x != 0 {
			parts = append(parts, fmt.Sprintf("%v*%s", x, widthName(s)))
		}
	}
	if w.rows != 0 || parts == nil {
		parts = append(parts, fmt.Sprint(w.rows))
	}
	return strings.Join(parts, " + ")
}

// traffic is what is read and written of matrices with the equation's rows, by walks of their own and as a chain.
func (c *chain) traffic() (apart, fused *widths) {
	apart, fused = &widths{}, &widths{}
	for _, n := range c.nodes {
		if n.source() {
			continue
		}
		for i, a := range n.args {
			if a.pattern == gemm.FullPattern && a.kind != words && !slices.Contains(n.args[:i], a) && !c.isFactor(a) {
				apart.add(c, a, c.bytesOf(a, a.bits))
			}
		}
		if n.pattern == gemm.FullPattern {
			apart.add(c, n, c.bytesOf(n, false))
		}
	}
	read := map[[2]int]bool{}
	for _, s := range c.steps {
		for _, list := range [][]int{s.reads, s.writes} {
			for _, i := range list {
				v := c.values[i]
				if at := [2]int{s.phase, i}; v.n.pattern == gemm.FullPattern && !c.isFactor(v.n) && !read[at] && (i < len(c.outs)+len(c.operands) || v.whole) {
					read[at] = true
					fused.add(c, v.n, c.bytesOf(v.n, v.bits))
				}
			}
		}
	}
	return apart, fused
}
