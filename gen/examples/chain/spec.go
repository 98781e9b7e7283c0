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
	swiglu := tpp.MatMul(tpp.Map(op.Mul[float32], tpp.Map(act.SiLU[float32], tpp.MatMul(x, gate)), tpp.MatMul(x, up)), down)

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
	mlp64 := tpp.MatMul(tpp.Map(act.GELU[float64], tpp.Map(op.Add[float64], tpp.MatMul(x64, up64), bias64)), down64)
	d64 := tpp.Gradient(mlp64, g64, x64, bias64)

	// Activations and weights of a byte each, with a scale for each row and column, and the greatest result of each row.
	x8, w8 := tpp.In(gemm.Full[uint8]("x")), tpp.In(gemm.Full[int8]("w"))
	rowScale, colScale := tpp.In(gemm.PerRow[float32]("rowScale")), tpp.In(gemm.PerColumn[float32]("colScale"))
	quantised := tpp.Map(op.Mul[float32], tpp.Map(op.Mul[float32], tpp.Map(op.Real[float32], tpp.MatMul(x8, w8)), colScale), rowScale)

	// Batch norm of a product: its columns are reduced before anything else is done with them.
	normed := tpp.Map(act.ReLU[float32], tpp.BatchNorm(tpp.MatMul(x, up), gain, shift, eps))

	// All that depends on where a row is, or on all rows: random words, the row with the greatest element of a column, sums of two
	// widths, and a maximum that all rows are divided by.
	hidden2 := tpp.MatMul(x, up)
	dropped := tpp.Dropout(hidden2, tpp.In(gemm.Scalar[int32]("drop")), scale)
	columnStats := []tpp.Output{tpp.Out("out", tpp.Map(op.Sub[float32], hidden2, tpp.ColMax(hidden2))), tpp.Out("dropoutSum", tpp.ColSum(dropped)),
		tpp.Out("colArgMax", tpp.ColArgMax(hidden2)), tpp.Out("sum", tpp.Sum(x)), tpp.Out("colMin", tpp.ColMin(x))}

	// Products of other types: nothing but products needs no kernels of its own.
	aF16, bF16 := tpp.In(gemm.Full[dtype.F16]("aF16")), tpp.In(gemm.Full[dtype.F16]("bF16"))
	aInt8, bInt8 := tpp.In(gemm.Full[int8]("aInt8")), tpp.In(gemm.Full[int8]("bInt8"))
	aInt16, bInt16 := tpp.In(gemm.Full[int16]("aInt16")), tpp.In(gemm.Full[int16]("bInt16"))
	products := []tpp.Output{tpp.Out("outF16", tpp.MatMul(aF16, bF16)), tpp.Out("outInt8", tpp.MatMul(aInt8, bInt8)), tpp.Out("outInt16", tpp.MatMulT(aInt16, bInt16))}

	out := func(t tpp.Tensor) []tpp.Output { return []tpp.Output{tpp.Out("out", t)} }
	gen.Main(
		tpp.Spec{Name: "MLP", Outs: out(mlp), Operands: []tpp.Tensor{x, gain, shift, eps, up, bias, down}},
		tpp.Spec{Name: "SwiGLU", Outs: out(swiglu), Operands: []tpp.Tensor{x, gate, up, down}},
		tpp.Spec{Name: "Attention", Outs: out(attention), Operands: []tpp.Tensor{q, k, v, scale}},
		tpp.Spec{Name: "MLPBF16", Outs: out(tpp.Convert[dtype.BF16](tpp.MatMul(hidden16, down16))), Operands: []tpp.Tensor{x16, up16, bias, down16}},
		tpp.Spec{Name: "MLPF64", Outs: out(mlp64), Operands: []tpp.Tensor{x64, up64, bias64, down64}},
		tpp.Spec{Name: "MLPF64Backward", Outs: []tpp.Output{tpp.Out("dx", d64[0]), tpp.Out("dbias", d64[1])}, Operands: []tpp.Tensor{x64, up64, bias64, down64, g64}},
		tpp.Spec{Name: "QuantisedMatMul", Outs: []tpp.Output{tpp.Out("out", quantised), tpp.Out("rowMax", tpp.RowMax(quantised))}, Operands: []tpp.Tensor{x8, w8, colScale, rowScale}},
		tpp.Spec{Name: "BatchNormMLP", Outs: append(out(tpp.MatMul(normed, down)), tpp.Out("hidden", normed)), Operands: []tpp.Tensor{x, up, gain, shift, eps, down}},
		tpp.Spec{Name: "ColumnStats", Outs: columnStats},
		tpp.Spec{Name: "MatMulTypes", Outs: products},
		// The layer's operators by themselves, to compare with.
		tpp.Spec{Name: "BiasGELU", Outs: out(tpp.Map(act.GELU[float32], tpp.Map(op.Add[float32], x, bias)))},
		tpp.Spec{Name: "Add", Outs: out(tpp.Map(op.Add[float32], x, tpp.In(gemm.Full[float32]("y"))))},
	)
}
