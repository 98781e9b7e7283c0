package lower

import (
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

var _ = declare(spec.OpSpMM, &operation{
	out: "out", factors: []factor{{"a", "{S}", "S"}, {"b", "layout.Matrix[{B}]", "B"}}, style: simd.Style{},
	run: "rows.SpMM", args: "a, b", result: "out",
	epilogue: "epilogue.New($name, %s)", stored: "out.Rows, out.Cols", unstored: "a.Rows(), b.Cols",
	value: "a*b", where: "where a is m x k, b is k x {n} and out is m x {n}; b and out have any strides",
	unseen: "where a is m x k and b is k x {n}, of any strides", cols: "{n}", rows: entriesOfRows,
	variants: "Rows",
	oracle:   "SpMM", lanes: true, timed: true, scaled: true, column: true,
})
