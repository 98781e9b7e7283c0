package lower

import (
	"strings"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// A form is what an operation has of its own in the text of a unit. In texts {n}, {f} and {h} are its features,
// or that letter for a number that only a call knows; {T} is the element type as Go writes it and {t} as we do, {v}
// begins the names of variables, and {dense} is the stock set of dense kernels.
type form struct {
	matrix, out string // what the sparse matrix is called, and the result
	// run is the type of the run time, args are the operands of its methods, result is the one of
	// Multiply, and epilogue begins that of Fuse, for a result of a shape: stored, or else of operands.
	run, args, result          string
	epilogue, stored, unstored string
	// value is what an element of the result is, and where says of what shapes; unseen where no
	// result is stored. cols is how many columns an epilogue sees.
	value, where, unseen, cols string
	// variants is the field that holds kernels, which are of this spec, or others of packages below cpu/kern, which
	// others names.
	variants, kernels, set, dense, others string
}

// forms are those of the operations; attention has the rest in a file of its own.
var forms = map[spec.Operation]form{
	spec.OpSpMM: {
		matrix: "a", out: "out",
		run: "rows.SpMM", args: "a, b", result: "out",
		epilogue: "epilogue.New($name, %s)", stored: "out.Rows, out.Cols", unstored: "a.Rows(), b.Cols",
		value: "a*b", where: "where a is m x k, b is k x {n} and out is m x {n}; b and out have any strides",
		unseen: "where a is m x k and b is k x {n}, of any strides", cols: "{n}",
		variants: "Rows",
	},
	spec.OpSpMV: {
		matrix: "a", out: "y",
		run: "rows.SpMM", args: "a, rows.Column(x)", result: "rows.Column(y)",
		epilogue: "epilogue.New($name, 1, %s)", stored: "rows.Row(y).Cols", unstored: "a.Rows()",
		value: "a*x", where: "where a is m x k, x has k elements and y has m", unseen: "where a is m x k and x has k elements",
		variants: "Rows",
	},
	spec.OpSDDMM: {
		matrix: "s", out: "out",
		run: "graph.SDDMM", args: "s, a, b", result: "out",
		epilogue: "graph.NewEpilogue($name, %s)", stored: "s.Rows(), s.Cols(), s.NNZ()", unstored: "s.Rows(), s.Cols(), s.NNZ()",
		value: "s[k] * (a[i] · b[j])", where: "for each entry k = (i, j) of s, in the order of s.All: s is m x n, a is m x {f}, b is n x {f} and out has one element an entry",
		variants: "Variants",
	},
	spec.OpRGMS: {
		matrix: "a", out: "out",
		run: "graph.Relations", args: "a, x, w", result: "out",
		epilogue: "epilogue.New($name, %s)", stored: "out.Rows, out.Cols", unstored: "a.Rows(), w.Cols",
		value: "sum over r of a_r*x*w_r", where: "where the relations a are m x n, x is n x k, w holds the matrices w_r, each k x l, one under another, and out is m x l, all of any strides",
		unseen: "where the relations a are m x n, x is n x k, w holds the matrices w_r, each k x l, one under another, and x and w have any strides", cols: "l",
		variants: "Rows", kernels: "func() []*kernel.Table[kernel.SparseKernel] { return {v}Variants }", dense: "func() []*kernel.Kernels { return {dense}().Variants }", others: "gemm",
	},
	spec.OpSegments: {
		matrix: "a", out: "out",
		run: "rows.SpMM", args: "rows.Offsets(offsets), x", result: "out",
		epilogue: "epilogue.New($name, %s)", stored: "out.Rows, out.Cols", unstored: "rows.Offsets(offsets).Count(), x.Cols",
		value: "sum of x[k]", where: segments + "out is m x {h}, both of any strides", unseen: segments + "x has any strides", cols: "{n}",
		variants: "Rows",
	},
	spec.OpEdgeSoftmax: {
		matrix: "s", out: "out",
		run: "graph.EdgeScores", args: "out, s", result: "out",
		epilogue: "graph.NewEpilogue($name, %s)", stored: "s.Rows(), s.Cols(), s.NNZ()", unstored: "s.Rows(), s.Cols(), s.NNZ()",
		value: "s[k]", where: "for each entry k = (i, j) of s, in the order of s.CSR, and then makes of these scores their softmax over each row: s is m x n, out has one element an entry",
		set: "func() *graph.Attention[{T}] { return &attn{t}.Set }", others: "attn",
	},
	spec.OpAttention: {matrix: "a", out: "out", others: "softmax"},
}

const segments = "for each row i of m, over the segment of rows k from offsets[i] to offsets[i+1]-1 of x, column by column: there are m+1 offsets, x is n x {h} and "

// denseSets return the kernels that multiply the rows which relations gather.
var denseSets = map[dtype.Type]string{dtype.F32: "gemmf32.SGEMMSet", dtype.F64: "gemmf64.DGEMMSet"}

// form is that of the spec.
func (s *draft) form() form { return forms[s.Operation] }

// fill is a text of a form.
func (s *draft) fill(text string) string {
	return strings.NewReplacer("{n}", s.features("n"), "{f}", s.features("f"), "{h}", s.features("h"),
		"{T}", s.T.Go(), "{t}", s.T.String(), "{v}", s.v, "{dense}", denseSets[s.T]).Replace(text)
}
