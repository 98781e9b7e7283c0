package lower

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

var _ = declare(spec.OpSDDMM, &operation{
	out: "out", factors: []factor{{"s", "{S}", "S"}, {"a", matrixType, "A"}, {"b", matrixType, "B"}}, entries: true, style: entryLists{},
	run: "graph.SDDMM", args: "s, a, b", result: "out",
	epilogue: "graph.NewEpilogue($name, %s)", stored: "s.Rows(), s.Cols(), s.NNZ()", unstored: "s.Rows(), s.Cols(), s.NNZ()",
	value: "s[k] * (a[i] · b[j])", pattern: "a[i] · b[j]",
	where:    "for each entry k = (i, j) of s, in the order of s.All: s is m x n, a is m x {f}, b is n x {f} and out has one element an entry",
	variants: "Variants",
	oracle:   "SDDMM", lanes: true, timed: true,
	refuse:   (*Product).refuseReductions,
	widest:   SDDMMVectors,
	lower:    (*Product).sddmm,
	operands: (*draft).entryOperands,
})

// entryLists is the style of a sampled product. It has an element for each entry; an
// operand with one for each row or column is gathered.
type entryLists struct{ simd.Style }

func (e entryLists) Output(p *unit.Param) {
	e.Style.Output(p)
	p.Type, p.Bind = "[]"+p.Elem, fmt.Sprintf("graph.EntryOut(&$e, %q, %s)", p.Name, p.Name)
}

func (e entryLists) Operand(p *unit.Param, pattern gemm.Pattern) {
	e.Style.Operand(p, pattern)
	p.Bind = simd.Bind([...]string{"graph.EntryRow", "graph.EntryColumn", "graph.PerEntry", "graph.EntryScalar"}[pattern], p)
	if pattern == gemm.FullPattern {
		p.Type = "[]" + p.Elem
	}
}

// refuseReductions refuses an epilogue that reduces.
func (p *Product) refuseReductions() error {
	if p.Fusion == nil || len(p.Fusion.Reduces) == 0 {
		return nil
	}
	return p.Fusion.At(fmt.Errorf("reduction %s: a sampled product has no rows and columns to reduce; leave it out", p.Fusion.Reduces[0].Name))
}

// entryOperands says what operands are that have an element for each entry, or for its row or column.
func (s *draft) entryOperands() string {
	var text []string
	for _, in := range s.Fusion.Inputs {
		switch in.Pattern {
		case gemm.RowPattern:
			text = append(text, in.Name+" has m elements, one for each row of s.")
		case gemm.ColumnPattern:
			text = append(text, in.Name+" has n elements, one for each column of s.")
		case gemm.FullPattern:
			text = append(text, in.Name+" has one element for each entry.")
		}
	}
	return strings.Join(text, " ")
}
