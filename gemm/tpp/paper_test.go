package tpp

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gemm/tpp/op"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/quant"
)

var update = flag.Bool("update", false, "write docs/tpp.md in place of comparing with it")

// primitive is one of the paper's, and the equation that is it, as it is written; or where
// else it is, or why it is not.
type primitive struct {
	name, how string
	is        Tensor // nil node: no equation
	done      bool   // by what how says
	bits      bool   // of an equation: its output is stored as bits
}

// quantise is a primitive that a user writes.
func quantise(x, scale float32) int8 { return quant.Quantise[int8](x, scale, 0) }

func restore(x int8, scale float32) float32 { return quant.Restore(x, scale, 0) }

// paper lists the primitives of the paper by its groups.
func paper() []struct {
	group string
	list  []primitive
} {
	x, y, z := In(gemm.Full[float32]("x")), In(gemm.Full[float32]("y")), In(gemm.Full[float32]("z"))
	col, s := In(gemm.PerColumn[float32]("col")), In(gemm.Scalar[float32]("s"))
	gain, bias := In(gemm.PerColumn[float32]("gain")), In(gemm.PerColumn[float32]("bias"))
	i8 := In(gemm.Full[int8]("q"))
	drop := In(gemm.Scalar[int32]("drop"))
	unary := func(name, text string, f any) primitive {
		return primitive{name: name, how: "tpp.Map(" + text + "[T], x)", is: Map(f, x)}
	}
	binary := func(name, text string, f any) primitive {
		return primitive{name: name, how: "tpp.Map(" + text + "[T], x, y)", is: Map(f, x, y)}
	}
	is := func(name, how string, t Tensor) primitive { return primitive{name: name, how: how, is: t} }
	elsewhere := func(name, where string) primitive { return primitive{name: name, how: where, done: true} }
	stored := func(name, how string, t Tensor) primitive {
		return primitive{name: name, how: how, is: t, bits: true}
	}
	_, reluMask := ReLUMask(x)
	_, dropoutMask := DropoutMask(x, drop, s)
	colNorm, _, _ := ColNorm(x, s)
	rowNorm, _, _ := RowNorm(x, s)
	high, low := In(gemm.Full[dtype.BF16]("high")), In(gemm.Full[dtype.BF16]("low"))
	elements8, _ := ToMX(MXE4M3, x)
	elements4, _ := ToMX(MXE2M1, x)
	lower := Convert[dtype.BF16](sub.of(x, Convert[float32](Convert[dtype.BF16](x))))
	sgd, _ := SplitSGD(high, low, x, s)
	type group = struct {
		group string
		list  []primitive
	}
	return []group{
		{"Unary", []primitive{
			is("IDENTITY", "x itself, or tpp.Convert to a type T", Convert[dtype.BF16](x)),
			is("XOR (zero)", "tpp.Map(op.Sub[T], x, x), of finite x", sub.of(x, x)),
			unary("X2", "op.Square", op.Square[float32]), unary("SQRT", "op.Sqrt", op.Sqrt[float32]), unary("NEGATE", "op.Neg", op.Neg[float32]),
			unary("INC", "op.Inc", op.Inc[float32]), unary("RECIPROCAL", "op.Reciprocal", op.Reciprocal[float32]),
			unary("RECIPROCAL_SQRT", "op.RSqrt", op.RSqrt[float32]), unary("EXP", "op.Exp", op.Exp[float32]),
			unary("TANH", "act.Tanh", act.Tanh[float32]), unary("TANH_INV (derivative)", "act.DTanh", act.DTanh[float32]),
			unary("SIGMOID", "act.Sigmoid", act.Sigmoid[float32]), unary("SIGMOID_INV", "act.DSigmoid", act.DSigmoid[float32]),
			unary("GELU", "act.GELUErf", act.GELUErf[float32]), unary("GELU_INV", "act.DGELUErf", act.DGELUErf[float32]),
			unary("RELU", "act.ReLU", act.ReLU[float32]), unary("RELU_INV", "act.DReLU", act.DReLU[float32]),
			is("LEAKY_RELU", "tpp.Map(act.LeakyReLU[T], x, s)", Map(act.LeakyReLU[float32], x, s)), is("LEAKY_RELU_INV", "tpp.Map(act.DLeakyReLU[T], x, s)", Map(act.DLeakyReLU[float32], x, s)),
			is("ELU", "tpp.Map(act.ELU[T], x, s)", Map(act.ELU[float32], x, s)), is("ELU_INV", "tpp.Map(act.DELU[T], x, s)", Map(act.DELU[float32], x, s)),
			stored("... with a bit mask", `y, mask := tpp.ReLUMask(x), with tpp.OutBits("mask", mask); tpp.OutBits of any tensor`, reluMask),
			is("..., derivative by a bit mask", `tpp.Masked(tpp.InBits[T]("mask"), g), tpp.Map(op.Select[T], tpp.InBits[T]("mask"), g, x)`, Masked(InBits[float32]("mask"), y)),
			is("DROPOUT", "tpp.Dropout(x, drop, s)", Dropout(x, drop, s)),
			stored("DROPOUT with a bit mask", `y, mask := tpp.DropoutMask(x, drop, s), with tpp.OutBits("mask", mask)`, dropoutMask),
			is("DROPOUT_INV with a bit mask", `tpp.Masked(tpp.InBits[T]("mask"), tpp.Map(op.Mul[T], g, s))`, Masked(InBits[float32]("mask"), mul.of(y, s))),
			is("DROPOUT_INV", "tpp.Dropout(g, drop, s), whose words are computed again in place of a mask", Dropout(y, drop, s)),
			is("STOCHASTIC_ROUND", "tpp.Map(op.Stochastic, x, tpp.Words())", Map(op.Stochastic, x, Words())),
			is("QUANT", "tpp.Map(quantise, x, s), a function of your own with quant.Quantise", Map(quantise, x, s)),
			is("DEQUANT", "tpp.Map(restore, q, s), with quant.Restore", Map(restore, i8, s)),
			is("QUANT, MX variants", "tpp.ToMX(tpp.MXE4M3, x), with MXE5M2, MXE2M3, MXE3M2 and MXE2M1; a row is a block", elements8),
			is("QUANT, MX of four bits", "tpp.ToMX(tpp.MXE2M1, x), a byte each", elements4),
			is("DEQUANT, MX variants", "tpp.FromMX(tpp.MXE4M3, elements, scales)", FromMX(MXE4M3, In(gemm.Full[uint8]("e8")), In(gemm.PerRow[uint8]("scales")))),
			is("DEQUANT, MX of four bits", "tpp.FromMX(tpp.MXE2M1, elements, scales)", FromMX(MXE2M1, In(gemm.Full[uint8]("e4")), In(gemm.PerRow[uint8]("scales")))),
			is("DECOMP_FP32_TO_BF16X{2,3}", "outputs: tpp.Convert of x to BF16, of what that leaves, tpp.Map(op.Sub[T], x, wide), and so on", lower),
			is("DUMP", "a second output: tpp.Out(\"kept\", t)", x),
		}},
		{"Reductions", []primitive{
			is("REDUCE_X_OP_ADD, rows", "tpp.RowSum(x)", RowSum(x)), is("REDUCE_X_OP_ADD, columns", "tpp.ColSum(x)", ColSum(x)), is("REDUCE_TO_SCALAR_OP_ADD", "tpp.Sum(x)", Sum(x)),
			is("REDUCE_X_OP_MAX", "tpp.RowMax(x), ColMax, Max", RowMax(x)), is("REDUCE_X_OP_MIN", "tpp.RowMin(x), ColMin", ColMin(x)),
			is("REDUCE_X_OP_ABSMAX", "tpp.RowMax(tpp.Map(op.Abs[T], x))", RowMax(Map(op.Abs[float32], x))),
			is("REDUCE_X2_OP_ADD", "tpp.RowSum(tpp.Map(op.Square[T], x))", RowSum(square.of(x))),
			is("REDUCE_X_X2_OP_ADD", "both as outputs: one pass", add.of(RowSum(x), RowSum(square.of(x)))),
			is("REDUCE_X_OP_MUL", "tpp.RowProd(x), ColProd, Prod", Prod(x)),
			elsewhere("REDUCE_COLS_IDX_OP_{ADD,MAX,MIN}", "`spec.SegmentReduce`, `spec.SpMM` of a `sparse.Pattern`"),
			is("INIT_ACC", "tpp.Map(op.Add[T], col, tpp.ColSum(x))", add.of(col, ColSum(x))),
			is("RECORD_ARGOP, rows", "tpp.RowArgMax(x), RowArgMin; also of a gemm.Spec's epilogue", RowArgMax(x)),
			is("RECORD_ARGOP, columns", "tpp.ColArgMax(x), ColArgMin", ColArgMax(x)),
		}},
		{"Binary", []primitive{
			binary("ADD", "op.Add", op.Add[float32]), binary("SUB", "op.Sub", op.Sub[float32]), binary("MUL", "op.Mul", op.Mul[float32]), binary("DIV", "op.Div", op.Div[float32]),
			binary("MAX", "op.Max", op.Max[float32]), binary("MIN", "op.Min", op.Min[float32]),
			is("MULADD", "tpp.Map(op.MulAdd[T], x, y, z)", mulAdd.of(x, y, z)),
			binary("CMP_OP_{GT,LT}", "op.Greater", op.Greater[float32]), binary("CMP_OP_{GE,LE}", "op.AtLeast", op.AtLeast[float32]), binary("CMP_OP_{EQ,NE}", "op.Equal", op.Equal[float32]),
			stored("CMP_OP_*, as bits", `tpp.OutBits("mask", tpp.Map(op.Greater[T], x, y))`, Map(op.Greater[float32], x, y)),
			is("MUL_AND_REDUCE_TO_SCALAR_OP_ADD", "tpp.Sum(tpp.Map(op.Mul[T], x, y))", Sum(mul.of(x, y))),
			is("PACK, ZIP", "tpp.Map(op.Zip, high, low)", Map(op.Zip, high, low)), is("UNZIP", "tpp.Map(op.High, x), tpp.Map(op.Low, x)", Map(op.High, x)),
			elsewhere("MATMUL, transposed and VNNI forms", "`gemm.Spec`: strides say what is transposed, packing is the run time's"),
			elsewhere("BRGEMM, by address, offset and stride", "`gemm.Spec`'s `Reduce`, with beta and epilogues: gen/examples/blocks"),
		}},
		{"Ternary", []primitive{
			is("MULADD", "tpp.Map(op.MulAdd[T], x, y, z)", mulAdd.of(x, y, col)), is("NMULADD", "tpp.Map(op.NMulAdd[T], x, y, z)", Map(op.NMulAdd[float32], x, y, z)),
			is("SELECT", "tpp.Map(op.Select[T], c, x, y), of numbers that are 0 or not, or a c of tpp.InBits[T]", Map(op.Select[float32], x, y, z)),
		}},
		{"Data movement", []primitive{
			is("REPLICATE_COL_VAR", "tpp.Map(op.First[T], col, x)", first.of(col, x)),
			elsewhere("GATHER, SCATTER of rows", "`move.Gather`, `move.Scatter` of package cpu/run/move"),
			elsewhere("GATHER, SCATTER of columns", "`move.GatherColumns`, `move.ScatterColumns`"),
			elsewhere("GATHER, SCATTER of elements by offsets", "`move.GatherElements`, `move.ScatterElements`"),
			elsewhere("TRANSFORM_NORM_TO_NORMT", "`move.Transpose`; `Matrix.T` is a view, which kernels of products take"),
			elsewhere("PADM, PADN, PADNM", "`move.Pad` of package cpu/run/move"),
			elsewhere("VNNI reformats", "`move.Interleave(out, x, n)` for NORM_TO_VNNIn, of `x.T()` for NORM_TO_VNNInT, padded; `move.Deinterleave` for the way back; products pack for themselves"),
			elsewhere("DECOMPRESS_SPARSE_FACTOR", "`move.Expand`, and `move.Compress` for the way back"),
		}},
		{"Equations", []primitive{
			is("softmax", "tpp.Softmax(x)", Softmax(x)), is("log-softmax", "tpp.LogSoftmax(x)", LogSoftmax(x)),
			is("softmax, backward", "tpp.SoftmaxGradient(y, g)", SoftmaxGradient(x, y)),
			is("layer norm", "tpp.LayerNorm(x, gain, bias, eps)", LayerNorm(x, gain, bias, s)), is("RMS norm", "tpp.RMSNorm(x, gain, eps)", RMSNorm(x, gain, s)),
			is("batch norm", "tpp.BatchNorm(x, gain, bias, eps), tpp.ColNorm(x, eps)", colNorm),
			is("group norm", "tpp.RowNorm(x, eps) of a matrix with a row for each sample and group", rowNorm),
			elsewhere("products as nodes", "`tpp.MatMul(a, b)` and `tpp.MatMulT`: a layer or an attention as one function, [gen/examples/chain](../gen/examples/chain/spec.go): `TestChains`"),
			elsewhere("gradients", "`tpp.Gradient(t, g, x...)` of any equation: `TestGradients`"),
			is("split SGD", "tpp.SplitSGD(high, low, g, rate)", sgd),
		}},
	}
}

// TestPaper interprets the equation of each primitive, and holds docs/tpp.md to the list.
func TestPaper(t *testing.T) {
	var page strings.Builder
	page.WriteString(`# Tensor processing primitives

<!-- Written by go test ./gemm/tpp -run TestPaper -update, from the table in paper_test.go; do not edit. -->

These are the primitives of Georganas and others, "Tensor processing primitives", 2021, as LIBXSMM names them. Each with a mark is an equation of package
[gemm/tpp](../gemm/tpp), or what its line says. ` + "`TestPaper/NAME`" + ` is the test of an equation: it interprets the kernels for both instruction sets and compares with the
operator alone. T is float32 or float64. Narrow elements go through ` + "`tpp.Convert`" + `. LIBXSMM calls a derivative "_INV".

A spec of a tensor t is ` + "`tpp.Spec{Name: \"Name\", Outs: []tpp.Output{tpp.Out(\"out\", t)}}`" + `. [gen/examples/tensors](../gen/examples/tensors) has some, generated.
`)
	for _, g := range paper() {
		fmt.Fprintf(&page, "\n## %s\n\n| primitive | | how |\n|---|---|---|\n", g.group)
		for _, q := range g.list {
			mark, how := "", q.how
			if q.is.n != nil {
				mark, how = "✓", "`"+how+"`"
				t.Run(g.group+"/"+q.name, func(t *testing.T) {
					outs := []Output{{Name: "out", Is: q.is, bits: q.bits}}
					if q.bits { // which do not say how many columns there are
						outs = append(outs, Out("copy", In(gemm.Full[float32]("full"))))
					}
					p := &problem{p: planOf(t, Spec{Outs: outs}), m: 2, n: 21, pad: 1}
					p.evaluate(3, false)
					for _, lanes := range []int{8, 16} {
						if err := p.run(lanes, 2); err != nil {
							t.Error(err)
						}
					}
				})
			} else if q.done {
				mark = "✓"
			}
			fmt.Fprintf(&page, "| %s | %s | %s |\n", q.name, mark, strings.ReplaceAll(how, "|", "\\|"))
		}
	}
	const file = "../../docs/tpp.md"
	if *update {
		if err := os.WriteFile(file, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil || string(have) != page.String() {
		t.Errorf("%s is not what the table says (%v): go test ./gemm/tpp -run TestPaper -update writes it", file, err)
	}
}
