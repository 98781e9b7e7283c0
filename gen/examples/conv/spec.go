//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/tpp"
	"github.com/tilesmith/tilesmith/gemm/tpp/op"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// biasReLU is the end of a layer: its bias, and the rectifier.
func biasReLU[T float32 | float64](sum, bias T) T { return max(sum+bias, 0) }

// panel is so many channels of the result: a block of weights has as many columns.
func panel(n int) gemm.Shape { return gemm.Shape{N: n} }

// depthwise is the kernels of depthwise filters: rows of sums to which one tap is added, or three.
func depthwise[T, S dtype.Elem](name string, add, mul any, widen func(tpp.Tensor) tpp.Tensor) (tpp.Spec, tpp.Spec) {
	sum := tpp.In(gemm.Full[S]("sum"))
	row := func(name string) tpp.Tensor { return tpp.In(gemm.Full[T](name)) }
	weight := func(name string) tpp.Tensor { return tpp.In(gemm.PerColumn[T](name)) }
	multiplyAdd := func(sum, x, w tpp.Tensor) tpp.Tensor {
		return tpp.Map(add, sum, tpp.Map(mul, widen(x), widen(w)))
	}
	x, y, z, u, v, w := row("x"), row("y"), row("z"), weight("u"), weight("v"), weight("w")
	return tpp.Spec{Name: "DepthwiseOneTap" + name, Outs: []tpp.Output{tpp.Out("out", multiplyAdd(sum, x, u))}, Operands: []tpp.Tensor{sum, x, u}},
		tpp.Spec{Name: "DepthwiseThreeTaps" + name, Outs: []tpp.Output{tpp.Out("out", multiplyAdd(multiplyAdd(multiplyAdd(sum, x, u), y, v), z, w))}, Operands: []tpp.Tensor{sum, x, y, z, u, v, w}}
}

func main() {
	anyCount := gemm.BatchReduce{Count: gemm.AnyCount}
	identity := func(x tpp.Tensor) tpp.Tensor { return x }
	one32, three32 := depthwise[float32, float32]("F32", op.Add[float32], op.Mul[float32], identity)
	one64, three64 := depthwise[float64, float64]("F64", op.Add[float64], op.Mul[float64], identity)
	oneBF16, threeBF16 := depthwise[dtype.BF16, float32]("BF16", op.Add[float32], op.Mul[float32], tpp.Convert[float32])
	gen.Main(
		one32, three32, one64, three64, oneBF16, threeBF16,
		gemm.Spec[float32, float32, float32, float32]{Name: "ConvF32", Shape: panel(32), Reduce: anyCount},
		gemm.Spec[float64, float64, float64, float64]{Name: "ConvF64", Shape: panel(16), Reduce: anyCount},
		gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "ConvBF16", Shape: panel(32), Reduce: anyCount},
		gemm.Spec[float32, float32, float32, float32]{Name: "ConvBiasReLUF32", Shape: panel(32), Reduce: anyCount, Epilogue: gemm.Map2(biasReLU[float32], gemm.PerColumn[float32]("bias"))},
		gemm.Spec[float64, float64, float64, float64]{Name: "ConvBiasReLUF64", Shape: panel(16), Reduce: anyCount, Epilogue: gemm.Map2(biasReLU[float64], gemm.PerColumn[float64]("bias"))},
		gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "ConvBiasReLUBF16", Shape: panel(32), Reduce: anyCount, Epilogue: gemm.Map2(biasReLU[float32], gemm.PerColumn[float32]("bias"))},
	)
}
