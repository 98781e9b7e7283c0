//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gemm/tpp"
	"github.com/tilesmith/tilesmith/gemm/tpp/op"
	"github.com/tilesmith/tilesmith/gen"
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
	gen.Main(
		one("Softmax", tpp.Softmax(x)),
		one("LogSoftmax", tpp.LogSoftmax(x)),
		norm("LayerNorm", tpp.LayerNorm(x, gain, bias, eps)),
		tpp.Spec{Name: "RMSNorm", Outs: []tpp.Output{tpp.Out("out", tpp.RMSNorm(x, gain, eps))}, Operands: []tpp.Tensor{x, gain, eps}},
		norm("BatchNorm", tpp.BatchNorm(x, gain, bias, eps)),
		one("GELU", tpp.Map(act.GELU[float32], x)),
		one("Dropout", tpp.Dropout(x, tpp.In(gemm.Scalar[int32]("drop")), tpp.In(gemm.Scalar[float32]("scale")))),
		// Five operators between memory and memory: the bar of an equation.
		one("Chain", tpp.Map(op.Max[float32],
			tpp.Map(op.Add[float32], tpp.Map(op.Mul[float32], tpp.Map(op.Add[float32], x, tpp.In(gemm.Full[float32]("y"))), gain), bias), tpp.In(gemm.PerRow[float32]("floor")))),
	)
}
