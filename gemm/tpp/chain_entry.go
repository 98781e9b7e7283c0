package tpp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
)

func (c *chain) stages() (decls []unit.Decl) {
	for _, p := range c.parts {
		if p.lowering == nil {
			continue
		}
		for _, st := range p.lowering.plan.stages {
			decls = append(decls, p.portable(st))
		}
	}
	return append(c.stageVars(), decls...)
}

func (c *chain) memory() string { return unit.Overlap }

// widthName is a space in documentation.
func widthName(space int) string { return fmt.Sprintf("n%d", space) }

// about says what shapes there are.
func (c *chain) about() string {
	var parts []string
	for i := range len(c.outs) + len(c.operands) {
		v := c.values[i]
		shape := ""
		switch {
		case c.isFactor(v.n):
			shape = fmt.Sprintf("%s x %s", widthName(c.depth(v.n)), widthName(c.space(v.n)))
		case v.bits:
			shape = fmt.Sprintf("m x (%s+7)/8", widthName(c.space(v.n)))
		case v.n.pattern == gemm.FullPattern:
			shape = "m x " + widthName(c.space(v.n))
		case v.n.pattern == gemm.RowPattern:
			shape = "m long"
		case v.n.pattern == gemm.ColumnPattern:
			shape = widthName(c.space(v.n)) + " long"
		default:
			continue
		}
		parts = append(parts, v.name+" is "+shape)
	}
	text := strings.Join(parts, ", ") + ". Matrices have any strides; kernels are for rows that are contiguous."
	if !slices.ContainsFunc(c.values[len(c.outs)+len(c.operands):], func(v *value) bool { return v.whole && v.byRows() }) {
		text += " What is between products is never in memory as a whole."
	}
	if c.words != nil {
		text += " Element (i, j) has word r*i + j of the stream, where r is the width rounded up to a multiple of 4."
	}
	return text
}

// isFactor reports whether n is the second factor of a product.
func (c *chain) isFactor(n *node) bool {
	_, ok := c.widths.rows[n]
	return ok
}

// start binds parameters, each in the shape that it must have.
func (c *chain) start() string {
	var b strings.Builder
	rows, shape := c.rowsText(), ""
	fmt.Fprintf(&b, "$e := epilogue.New($name, %s, %s)\n", rows, c.width(0))
	for i, v := range c.values[:len(c.outs)+len(c.operands)] {
		want := shape
		switch {
		case c.isFactor(v.n):
			want = c.width(c.depth(v.n)) + ", " + c.width(c.space(v.n))
		case v.n.pattern == gemm.FullPattern || v.n.pattern == gemm.ColumnPattern:
			want = rows + ", " + c.width(c.space(v.n))
		case shape == "" || v.n.pattern == gemm.RowPattern && !strings.HasPrefix(shape, rows+", "):
			want = rows + ", " + c.width(0)
		}
		if want != shape {
			fmt.Fprintf(&b, "epilogue.Shape(&$e, %s)\n", want)
			shape = want
		}
		b.WriteString(c.API.Params[i].Bind + "\n")
	}
	return b.String()
}

// sizes are the rows and all widths.
func (c *chain) sizes() string {
	text := ", " + c.rowsText()
	for s := range c.widths.count() {
		text += ", " + c.width(s)
	}
	return text
}

// rowsText is how many rows there are, of a parameter that says it.
func (c *chain) rowsText() string {
	for _, want := range []gemm.Pattern{gemm.FullPattern, gemm.RowPattern} {
		for i := range len(c.outs) + len(c.operands) {
			switch v := c.values[i]; {
			case v.n.pattern != want || c.isFactor(v.n):
			case want == gemm.FullPattern:
				return v.name + ".Rows"
			default:
				return fmt.Sprintf("len(%s)", v.name)
			}
		}
	}
	return ""
}

// width is how many columns a space has.
func (c *chain) width(space int) string {
	for _, want := range []gemm.Pattern{gemm.FullPattern, gemm.ColumnPattern} {
		for i := range len(c.outs) + len(c.operands) {
			v := c.values[i]
			if c.isFactor(v.n) && want == gemm.FullPattern && c.depth(v.n) == space {
				return v.name + ".Rows"
			}
			switch {
			case v.n.pattern != want || v.bits || c.space(v.n) != space:
			case want == gemm.FullPattern:
				return v.name + ".Cols"
			default:
				return fmt.Sprintf("len(%s)", v.name)
			}
		}
	}
	return ""
}
