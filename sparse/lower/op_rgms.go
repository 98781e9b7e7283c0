package lower

import (
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

var _ = declare(spec.OpRGMS, &operation{
	out: "out", factors: []factor{{"a", "sparse.Relations[{T}]", "S"}, {"x", matrixType, "A"}, {"w", matrixType, "B"}}, style: simd.Style{},
	run: "graph.Relations", args: "a, x, w", result: "out",
	epilogue: "epilogue.New($name, %s)", stored: "out.Rows, out.Cols", unstored: "a.Rows(), w.Cols",
	value:  "sum over r of a_r*x*w_r",
	where:  "where the relations a are m x n, x is n x k, w holds the matrices w_r, each k x l, one under another, and out is m x l, all of any strides",
	unseen: "where the relations a are m x n, x is n x k, w holds the matrices w_r, each k x l, one under another, and x and w have any strides",
	cols:   "l", rows: entriesOfRows,
	variants: "Rows", kernels: "func() []*kernel.Table[kernel.Func[kernel.SparseArgs]] { return {v}Variants }",
	dense: "func() []*kernel.Kernels { return {dense}().Variants }", others: "gemmf",
	oracle: "RGMS", lanes: true, timed: true,
})
