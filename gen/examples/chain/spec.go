//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gemm/tpp"
	"github.com/tilesmith/tilesmith/gemm/tpp/op"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

func main() {
	x := tpp.In(gemm.Full[float32]("x"))
	up, down := tpp.In(gemm.Full[float32]("up")), tpp.In(gemm.Full[float32]("down"))
	bias, eps := tpp.In(gemm.PerColumn[float32]("bias")), tpp.In(gemm.Scalar[float32]("eps"))
	gain, shift := tpp.In(gemm.PerColumn[float32]("gain")), tpp.In(gemm.PerColumn[float32]("shift"))

	// A layer of a transformer: its norm, two products and what is added at the end.
	hidden := tpp.Map(act.GELU[float32], tpp.Map(op.Add[float32], tpp.MatMul(tpp.LayerNorm(x, gain, shift, eps), up), bias))
	mlp := tpp.Map(op.Add[float32], tpp.MatMul(hidden, down), x)

	// Another, of which two products have one factor and are multiplied by each other.
	gate := tpp.In(gemm.Full[float32]("gate"))
	gated := tpp.MatMul(tpp.Map(op.Mul[float32], tpp.Map(act.SiLU[float32], tpp.MatMul(x, gate)), tpp.MatMul(x, up)), down)

	// Attention of a head: rows of softmax, which take all keys.
	q, k, v := tpp.In(gemm.Full[float32]("q")), tpp.In(gemm.Full[float32]("k")), tpp.In(gemm.Full[float32]("v"))
	scale := tpp.In(gemm.Scalar[float32]("scale"))
	attention := tpp.MatMul(tpp.Softmax(tpp.Map(op.Mul[float32], tpp.MatMulT(q, k), scale)), v)

	// A layer of BF16, which rounds what is between its products as unfused calls would.
	x16, up16, down16 := tpp.In(gemm.Full[dtype.BF16]("x")), tpp.In(gemm.Full[dtype.BF16]("up")), tpp.In(gemm.Full[dtype.BF16]("down"))
	hidden16 := tpp.Convert[dtype.BF16](tpp.Map(act.ReLU[float32], tpp.Map(op.Add[float32], tpp.MatMul(x16, up16), bias)))

	// The gradient by x of a layer in float64, and by the bias, which is a sum over rows.
	x64, up64, down64 := tpp.In(gemm.Full[float64]("x")), tpp.In(gemm.Full[float64]("up")), tpp.In(gemm.Full[float64]("down"))
	bias64, g64 := tpp.In(gemm.PerColumn[float64]("bias")), tpp.In(gemm.Full[float64]("g"))
	layer64 := tpp.MatMul(tpp.Map(act.GELU[float64], tpp.Map(op.Add[float64], tpp.MatMul(x64, up64), bias64)), down64)
	d64 := tpp.Gradient(layer64, g64, x64, bias64)

	// Activations and weights of a byte each, with a scale for each row and column, and the greatest result of each row.
	x8, w8 := tpp.In(gemm.Full[uint8]("x")), tpp.In(gemm.Full[int8]("w"))
	rowScale, scales := tpp.In(gemm.PerRow[float32]("rowScale")), tpp.In(gemm.PerColumn[float32]("scales"))
	quantised := tpp.Map(op.Mul[float32], tpp.Map(op.Mul[float32], tpp.Map(op.Real[float32], tpp.MatMul(x8, w8)), scales), rowScale)

	// Batch norm of a product: its columns are reduced before anything else is done with them.
	normed := tpp.Map(act.ReLU[float32], tpp.BatchNorm(tpp.MatMul(x, up), gain, shift, eps))

	// All that depends on where a row is, or on all rows: random words, the row with the greatest element of a column, sums of two
	// widths, and a maximum that all rows are divided by.
	hidden2 := tpp.MatMul(x, up)
	dropped := tpp.Dropout(hidden2, tpp.In(gemm.Scalar[int32]("drop")), scale)
	digest := []tpp.Output{tpp.Out("out", tpp.Map(op.Sub[float32], hidden2, tpp.ColMax(hidden2))), tpp.Out("sums", tpp.ColSum(dropped)),
		tpp.Out("best", tpp.ColArgMax(hidden2)), tpp.Out("total", tpp.Sum(x)), tpp.Out("least", tpp.ColMin(x))}

	// Products of other types: nothing but products needs no kernels of its own.
	a16, b16 := tpp.In(gemm.Full[dtype.F16]("a16")), tpp.In(gemm.Full[dtype.F16]("b16"))
	a8, b8 := tpp.In(gemm.Full[int8]("a8")), tpp.In(gemm.Full[int8]("b8"))
	short, shortT := tpp.In(gemm.Full[int16]("short")), tpp.In(gemm.Full[int16]("shortT"))
	types := []tpp.Output{tpp.Out("halves", tpp.MatMul(a16, b16)), tpp.Out("bytes", tpp.MatMul(a8, b8)), tpp.Out("shorts", tpp.MatMulT(short, shortT))}

	out := func(t tpp.Tensor) []tpp.Output { return []tpp.Output{tpp.Out("out", t)} }
	gen.Main(
		tpp.Spec{Name: "MLP", Outs: out(mlp), Operands: []tpp.Tensor{x, gain, shift, eps, up, bias, down}},
		tpp.Spec{Name: "Gated", Outs: out(gated), Operands: []tpp.Tensor{x, gate, up, down}},
		tpp.Spec{Name: "Attention", Outs: out(attention), Operands: []tpp.Tensor{q, k, v, scale}},
		tpp.Spec{Name: "LayerBF16", Outs: out(tpp.Convert[dtype.BF16](tpp.MatMul(hidden16, down16))), Operands: []tpp.Tensor{x16, up16, bias, down16}},
		tpp.Spec{Name: "LayerDouble", Outs: out(layer64), Operands: []tpp.Tensor{x64, up64, bias64, down64}},
		tpp.Spec{Name: "LayerDoubleBack", Outs: []tpp.Output{tpp.Out("dx", d64[0]), tpp.Out("dbias", d64[1])}, Operands: []tpp.Tensor{x64, up64, bias64, down64, g64}},
		tpp.Spec{Name: "Quantised", Outs: []tpp.Output{tpp.Out("out", quantised), tpp.Out("most", tpp.RowMax(quantised))}, Operands: []tpp.Tensor{x8, w8, scales, rowScale}},
		tpp.Spec{Name: "Normed", Outs: append(out(tpp.MatMul(normed, down)), tpp.Out("hidden", normed)), Operands: []tpp.Tensor{x, up, gain, shift, eps, down}},
		tpp.Spec{Name: "Digest", Outs: digest},
		tpp.Spec{Name: "Types", Outs: types},
		// The layer's operators by themselves, to compare with.
		tpp.Spec{Name: "BiasedGELU", Outs: out(tpp.Map(act.GELU[float32], tpp.Map(op.Add[float32], x, bias)))},
		tpp.Spec{Name: "Added", Outs: out(tpp.Map(op.Add[float32], x, tpp.In(gemm.Full[float32]("y"))))},
	)
}
