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
	gain, bias := tpp.In(gemm.PerColumn[float32]("gain")), tpp.In(gemm.PerColumn[float32]("bias"))
	eps := tpp.In(gemm.Scalar[float32]("eps"))
	one := func(name string, is tpp.Tensor) tpp.Spec {
		return tpp.Spec{Name: name, Outs: []tpp.Output{tpp.Out("out", is)}}
	}
	norm := func(name string, is tpp.Tensor) tpp.Spec {
		return tpp.Spec{Name: name, Outs: []tpp.Output{tpp.Out("out", is)}, Operands: []tpp.Tensor{x, gain, bias, eps}}
	}
	g := tpp.In(gemm.Full[float32]("g"))
	x64, gain64, bias64 := tpp.In(gemm.Full[float64]("x")), tpp.In(gemm.PerColumn[float64]("gain")), tpp.In(gemm.PerColumn[float64]("bias"))
	g64, eps64, xBF16 := tpp.In(gemm.Full[float64]("g")), tpp.In(gemm.Scalar[float64]("eps")), tpp.In(gemm.Full[dtype.BF16]("x"))
	high, low, rate := tpp.In(gemm.Full[dtype.BF16]("high")), tpp.In(gemm.Full[dtype.BF16]("low")), tpp.In(gemm.Scalar[float32]("rate"))
	newHigh, newLow := tpp.SplitSGD(high, low, g, rate)
	positive, isPositive := tpp.ReLUMask(x)
	dropped, isKept := tpp.DropoutMask(x, tpp.In(gemm.Scalar[int32]("drop")), tpp.In(gemm.Scalar[float32]("scale")))
	norm64 := tpp.LayerNorm(x64, gain64, bias64, eps64)
	outs := func(list []tpp.Tensor, names ...string) (all []tpp.Output) {
		for i, t := range list {
			all = append(all, tpp.Out(names[i], t))
		}
		return all
	}
	scales := tpp.In(gemm.PerRow[uint8]("scales"))
	mx := func(name string, f tpp.MXFormat, x tpp.Tensor) tpp.Spec {
		elements, scales := tpp.ToMX(f, x)
		return tpp.Spec{Name: name, Outs: outs([]tpp.Tensor{elements, scales}, "elements", "scales")}
	}
	gen.Main(
		one("Softmax", tpp.Softmax(x)),
		one("LogSoftmax", tpp.LogSoftmax(x)),
		norm("LayerNorm", tpp.LayerNorm(x, gain, bias, eps)),
		tpp.Spec{Name: "RMSNorm", Outs: []tpp.Output{tpp.Out("out", tpp.RMSNorm(x, gain, eps))}, Operands: []tpp.Tensor{x, gain, eps}},
		norm("BatchNorm", tpp.BatchNorm(x, gain, bias, eps)),
		one("GELU", tpp.Map(act.GELU[float32], x)),
		one("Dropout", tpp.Dropout(x, tpp.In(gemm.Scalar[int32]("drop")), tpp.In(gemm.Scalar[float32]("scale")))),
		// What training needs of them: derivatives are the translator's, sums over rows a stage's.
		tpp.Spec{Name: "GELUBackward", Outs: []tpp.Output{tpp.Out("dx", tpp.Gradient(tpp.Map(act.GELU[float32], x), g, x)[0])}},
		tpp.Spec{Name: "SoftmaxBackward", Outs: []tpp.Output{tpp.Out("dx", tpp.SoftmaxGradient(tpp.In(gemm.Full[float32]("y")), g))}},
		tpp.Spec{Name: "LayerNormBackward", Outs: outs(tpp.Gradient(tpp.LayerNorm(x, gain, bias, eps), g, x, gain, bias), "dx", "dgain", "dbias"), Operands: []tpp.Tensor{x, gain, bias, g, eps}},
		// The same in float64, in which gradients are compared with differences, and of bf16, which
		// is widened and rounded between registers and memory.
		tpp.Spec{Name: "LayerNormF64", Outs: outs([]tpp.Tensor{norm64}, "out"), Operands: []tpp.Tensor{x64, gain64, bias64, eps64}},
		tpp.Spec{Name: "LayerNormF64Backward", Outs: outs(tpp.Gradient(norm64, g64, x64, gain64, bias64), "dx", "dgain", "dbias"),
			Operands: []tpp.Tensor{x64, gain64, bias64, g64, eps64}},
		tpp.Spec{Name: "LayerNormBF16", Outs: outs([]tpp.Tensor{tpp.Convert[dtype.BF16](tpp.LayerNorm(tpp.Convert[float32](xBF16), gain, bias, eps))}, "out"),
			Operands: []tpp.Tensor{xBF16, gain, bias, eps}},
		// Weights in halves.
		tpp.Spec{Name: "SplitSGD", Outs: []tpp.Output{tpp.Out("newHigh", newHigh), tpp.Out("newLow", newLow)}, Operands: []tpp.Tensor{high, low, g, rate}},
		// Microscaling formats: a row is a block, with a scale of its own.
		mx("QuantiseMX8", tpp.MXE4M3, x), mx("QuantiseMX4", tpp.MXE2M1, x),
		one("DequantiseMX8", tpp.FromMX(tpp.MXE4M3, tpp.In(gemm.Full[uint8]("elements")), scales)),
		one("DequantiseMX4", tpp.FromMX(tpp.MXE2M1, tpp.In(gemm.Full[uint8]("elements")), scales)),
		// All reductions of one walk.
		tpp.Spec{Name: "Statistics", Outs: []tpp.Output{tpp.Out("rowSum", tpp.RowSum(x)), tpp.Out("rowMax", tpp.RowMax(x)), tpp.Out("colMin", tpp.ColMin(x)),
			tpp.Out("sumSquares", tpp.Sum(tpp.Map(op.Square[float32], x)))}},
		// Where the greatest and the least are, and products.
		tpp.Spec{Name: "ArgMaxArgMin", Outs: []tpp.Output{tpp.Out("rowArgMax", tpp.RowArgMax(x)), tpp.Out("rowArgMin", tpp.RowArgMin(x)), tpp.Out("rowMax", tpp.RowMax(x)), tpp.Out("colArgMax", tpp.ColArgMax(x))}},
		tpp.Spec{Name: "Products", Outs: []tpp.Output{tpp.Out("rowProd", tpp.RowProd(x)), tpp.Out("colProd", tpp.ColProd(x)), tpp.Out("prod", tpp.Prod(x))}},
		// Masks of a bit for each element, and what they are for on the way back: dx is scale*g where the bit is set.
		tpp.Spec{Name: "ReLUMask", Outs: []tpp.Output{tpp.Out("out", positive), tpp.OutBits("mask", isPositive)}},
		tpp.Spec{Name: "DropoutMask", Outs: []tpp.Output{tpp.Out("out", dropped), tpp.OutBits("mask", isKept)}},
		tpp.Spec{Name: "MaskBackward", Outs: []tpp.Output{tpp.Out("dx", tpp.Masked(tpp.InBits[float32]("mask"), tpp.Map(op.Mul[float32], g, tpp.In(gemm.Scalar[float32]("scale")))))}},
		tpp.Spec{Name: "MaskBackwardF64", Outs: []tpp.Output{tpp.Out("dx", tpp.Masked(tpp.InBits[float64]("mask"), g64)), tpp.OutBits("greater", tpp.Map(op.Greater[float64], g64, x64))}},
		// What others are compared with: no operator at all.
		one("Copy", x),
		// Five operators between memory and memory: the bar of an equation.
		one("ElementwiseChain", tpp.Map(op.Max[float32],
			tpp.Map(op.Add[float32], tpp.Map(op.Mul[float32], tpp.Map(op.Add[float32], x, tpp.In(gemm.Full[float32]("y"))), gain), bias), tpp.In(gemm.PerRow[float32]("floor")))),
	)
}
