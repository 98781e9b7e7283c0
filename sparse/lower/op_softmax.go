package lower

import (
	"errors"

	"github.com/tilesmith/tilesmith/sparse/spec"
)

var _ = declare(spec.OpEdgeSoftmax, &operation{
	out: "out", factors: []factor{{"s", "{S}", "S"}}, entries: true, style: entryLists{},
	run: "graph.EdgeScores", args: "out, s", result: "out",
	epilogue: "graph.NewEpilogue($name, %s)", stored: "s.Rows(), s.Cols(), s.NNZ()", unstored: "s.Rows(), s.Cols(), s.NNZ()",
	value: "s[k]",
	where: "for each entry k = (i, j) of s, in the order of s.CSR, and then makes of these scores their softmax over each row: s is m x n, out has one element an entry",
	set:   "func() *graph.Attention[{T}] { return &attnf.Set{t} }", others: "attnf",
	oracle:   "EdgeSoftmax",
	refuse:   (*Product).refuseNoScore,
	lower:    func(*Product, *Module, int) error { return nil }, // scores alone are the spec's
	operands: (*draft).entryOperands,
})

// refuseNoScore refuses a spec without a function of scores, and one that stores none.
func (p *Product) refuseNoScore() error {
	switch f := p.Fusion; {
	case f == nil:
		return errors.New("the spec has no function of scores; give an epilogue, as in gemm.Map1(score), or use cpu.EdgeSoftmax for values as they are")
	case f.Unstored:
		return f.At(errors.New("the weights are the result; store it"))
	}
	return p.refuseReductions()
}
