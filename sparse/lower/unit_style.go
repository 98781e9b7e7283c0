package lower

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// styles say how a product takes what its epilogue reads and writes, by its operation:
// matrices, vectors, or lists with an element for each entry.
var styles = map[spec.Operation]gemm.Style{
	spec.OpSpMM: simd.Style{}, spec.OpSpMV: vectors{}, spec.OpSDDMM: entryLists{}, spec.OpRGMS: simd.Style{}, spec.OpSegments: simd.Style{},
	spec.OpEdgeSoftmax: entryLists{}, spec.OpAttention: scores{},
}

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
