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
func depthwise[T, S dtype.Elem](name string, plus, times any, widen func(tpp.Tensor) tpp.Tensor) (tpp.Spec, tpp.Spec) {
	sum := tpp.In(gemm.Full[S]("sum"))
	of := func(name string) tpp.Tensor { return tpp.In(gemm.Full[T](name)) }
	by := func(name string) tpp.Tensor { return tpp.In(gemm.PerColumn[T](name)) }
	add := func(sum, x, w tpp.Tensor) tpp.Tensor {
		return tpp.Map(plus, sum, tpp.Map(times, widen(x), widen(w)))
	}
	x, y, z, u, v, w := of("x"), of("y"), of("z"), by("u"), by("v"), by("w")
	return tpp.Spec{Name: "One" + name, Outs: []tpp.Output{tpp.Out("out", add(sum, x, u))}, Operands: []tpp.Tensor{sum, x, u}},
		tpp.Spec{Name: "Three" + name, Outs: []tpp.Output{tpp.Out("out", add(add(add(sum, x, u), y, v), z, w))}, Operands: []tpp.Tensor{sum, x, y, z, u, v, w}}
}

func main() {
	any := gemm.BatchReduce{Count: gemm.AnyCount}
	same := func(x tpp.Tensor) tpp.Tensor { return x }
	one32, three32 := depthwise[float32, float32]("32", op.Add[float32], op.Mul[float32], same)
	one64, three64 := depthwise[float64, float64]("64", op.Add[float64], op.Mul[float64], same)
	oneBF16, threeBF16 := depthwise[dtype.BF16, float32]("BF16", op.Add[float32], op.Mul[float32], tpp.Convert[float32])
	gen.Main(
		one32, three32, one64, three64, oneBF16, threeBF16,
		gemm.Spec[float32, float32, float32, float32]{Name: "Sum32", Shape: panel(32), Reduce: any},
		gemm.Spec[float64, float64, float64, float64]{Name: "Sum64", Shape: panel(16), Reduce: any},
		gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "RoundBF16", Shape: panel(32), Reduce: any},
		gemm.Spec[float32, float32, float32, float32]{Name: "Layer32", Shape: panel(32), Reduce: any, Epilogue: gemm.Map2(biasReLU[float32], gemm.PerColumn[float32]("bias"))},
		gemm.Spec[float64, float64, float64, float64]{Name: "Layer64", Shape: panel(16), Reduce: any, Epilogue: gemm.Map2(biasReLU[float64], gemm.PerColumn[float64]("bias"))},
		gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "LayerBF16", Shape: panel(32), Reduce: any, Epilogue: gemm.Map2(biasReLU[float32], gemm.PerColumn[float32]("bias"))},
	)
}
