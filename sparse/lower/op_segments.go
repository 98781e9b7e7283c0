package lower

import (
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

var _ = declare(spec.OpSegments, &operation{
	out: "out", factors: []factor{{"offsets", "[]int", "S"}, {"x", matrixType, "B"}}, style: simd.Style{},
	run: "rows.SpMM", args: "rows.Offsets(offsets), x", result: "out",
	epilogue: "epilogue.New($name, %s)", stored: "out.Rows, out.Cols", unstored: "rows.Offsets(offsets).Count(), x.Cols",
	value: "sum of x[k]", pattern: "sum of x[k]", where: segmentRows + "out is m x {h}, both of any strides", unseen: segmentRows + "x has any strides", cols: "{n}",
	rows:     words{"segment", "rows", "of the segment", "if it has no rows"},
	variants: "Rows",
	oracle:   "SpMM", lanes: true, timed: true, segments: true,
})

const segmentRows = "for each row i of m, over the segment of rows k from offsets[i] to offsets[i+1]-1 of x, column by column: there are m+1 offsets, x is n x {h} and "
