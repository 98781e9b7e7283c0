package lower

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

var _ = declare(spec.OpSpMV, &operation{
	out: "y", factors: []factor{{"a", "{S}", "S"}, {"x", "[]{T}", "B"}}, vector: true, style: vectors{},
	run: "rows.SpMM", args: "a, rows.Column(x)", result: "rows.Column(y)",
	epilogue: "epilogue.New($name, 1, %s)", stored: "rows.Row(y).Cols", unstored: "a.Rows()",
	value: "a*x", where: "where a is m x k, x has k elements and y has m", unseen: "where a is m x k and x has k elements", rows: entriesOfRows,
	variants: "Rows",
	oracle:   "SpMM", lanes: true, timed: true, column: true,
	refuse:   (*Product).refuseColumns,
	operands: (*draft).vectorOperands,
})

// vectors is the style of a product with a vector: one row of results.
type vectors struct{ simd.Style }

func (v vectors) Output(p *unit.Param) {
	v.Style.Output(p)
	p.Type, p.Bind = "[]"+p.Elem, fmt.Sprintf("epilogue.Out(&$e, %q, rows.Row(%s))", p.Name, p.Name)
}

func (v vectors) Operand(p *unit.Param, pattern gemm.Pattern) {
	v.Style.Operand(p, pattern)
	if pattern == gemm.RowPattern {
		p.Bind = simd.Bind("rows.PerElement", p)
	}
}

func (v vectors) Reduction(p *unit.Param, r gemm.Reduce) {
	v.Style.Reduction(p, r)
	r.Col = false
	row := *p
	v.Style.Reduction(&row, r)
	p.Bind, p.Step = row.Bind, row.Step
}

// refuseColumns refuses an epilogue of more than one column.
func (p *Product) refuseColumns() error {
	if p.Fusion == nil {
		return nil
	}
	for _, in := range p.Fusion.Inputs {
		if in.Pattern == gemm.ColumnPattern || in.Pattern == gemm.FullPattern {
			return p.Fusion.At(fmt.Errorf("operand %s is %v, and the result is a vector; make it gemm.PerRow or gemm.Scalar", in.Name, in.Pattern))
		}
	}
	for _, r := range p.Fusion.Reduces {
		if !r.Col {
			return p.Fusion.At(fmt.Errorf("reduction %s is of rows, which have one element here; reduce the column with ColSum or ColMax", r.Name))
		}
	}
	return nil
}

// vectorOperands says what operands and reductions are of a vector of results.
func (s *draft) vectorOperands() string {
	b := *s.Fusion
	b.Also, b.Reduces = nil, nil
	text := []string{b.About("m", "")}
	for _, r := range s.Fusion.Reduces {
		text = append(text, fmt.Sprintf("%s gets the %s of y, as its only element.", r.Name, r.Text()))
	}
	return strings.TrimSpace(strings.Join(text, " "))
}
