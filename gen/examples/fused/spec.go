//go:build ignore

package main

import (
	"math"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// biasGELU is a dense layer's end: bias, then activation.
func biasGELU(acc, bias float32) float32 { return act.GELU(acc + bias) }

// biasGELUErf is the same with the exact form of the activation.
func biasGELUErf(acc, bias float32) float32 {
	x := acc + bias
	return x * 0.5 * (1 + float32(math.Erf(float64(x*(math.Sqrt2/2)))))
}

// biasGELU64 is the same in float64.
func biasGELU64(acc, bias float64) float64 { return act.GELU(acc + bias) }

// residual adds the input of a block to its output, and keeps the value before the
// activation, which training needs.
func residual(acc, res, scale float32) (out, pre float32) {
	pre = acc*scale + res
	return act.ReLU(pre), pre
}

// addBias is a classifier's last layer, whose reductions say which class won.
func addBias(acc, bias float32) float32 { return acc + bias }

// distance is the squared distance of two points, from their inner product and
// their squared lengths: a nearest-neighbour search in one product.
func distance(acc, x2, y2 float64) float64 { return max(x2+y2-2*acc, 0) }

// biasReLUAbs has two results: the activation, and the absolute value of its argument.
func biasReLUAbs(acc, bias float32) (out, abs float32) {
	x := acc + bias
	return act.ReLU(x), max(x, -x)
}

// requant makes an int8 of a sum: scale by row, add the residual, round, clamp.
func requant(acc, scale float32, res int8) int8 {
	x := math.RoundToEven(float64(acc*scale + float32(res)))
	return int8(max(-128, min(127, x)))
}

func main() {
	f32 := func(name string) gemm.Operand[float32] { return gemm.PerColumn[float32](name) }
	gen.Main(
		gemm.Spec[float32, float32, float32, float32]{Name: "DenseGELU",
			Epilogue: gemm.Map2(biasGELU, gemm.PerColumn[float32]("bias"))},
		gemm.Spec[float32, float32, float32, float32]{Name: "DenseGELUErf", Epilogue: gemm.Map2(biasGELUErf, f32("bias"))},
		gemm.Spec[float64, float64, float64, float64]{Name: "DenseGELUF64",
			Epilogue: gemm.Map2(biasGELU64, gemm.PerColumn[float64]("bias"))},
		gemm.Spec[float32, float32, float32, float32]{Name: "Residual",
			Epilogue: gemm.Fuse[float32, float32](residual, []gemm.Output{gemm.Also[float32]("pre")},
				gemm.Full[float32]("res").In(), gemm.Scalar[float32]("scale").In())},
		gemm.Spec[float32, float32, float32, float32]{Name: "Logits",
			Epilogue: gemm.Map2(addBias, f32("bias")).RowMax("rowMax").RowArgMax("class").ColSum("colSum")},
		gemm.Spec[float32, float32, float32, float32]{Name: "Stats",
			Epilogue: gemm.Map2(addBias, f32("bias")).RowSum("rowSum").RowArgMin("rowArgMin").ColMax("colMax")},
		gemm.Spec[float32, float32, float32, float32]{Name: "Moments",
			Epilogue: gemm.Map2(addBias, f32("bias")).RowSum("rowSum").RowSumSquares("rowSumSquares").RowMin("rowMin").ColMin("colMin").ColSumSquares("colSumSquares")},
		gemm.Spec[float64, float64, float64, float64]{Name: "Nearest",
			Epilogue: gemm.Map3(distance, gemm.PerRow[float64]("x2"), gemm.PerColumn[float64]("y2")).RowArgMin("nearest")},
		// The assignment step of k-means: the centre of each point and how far it is, and no
		// matrix of all distances.
		gemm.Spec[float64, float64, float64, float64]{Name: "KMeansAssign",
			Epilogue: gemm.Map3(distance, gemm.PerRow[float64]("x2"), gemm.PerColumn[float64]("y2")).Unstored().RowArgMin("centre").RowMin("distance")},
		// What softmax divides by, of rows and of columns, as a loss between pairs needs it.
		gemm.Spec[float32, float32, float32, float32]{Name: "ContrastiveLogSumExp",
			Epilogue: gemm.Map2(addBias, f32("bias")).Unstored().RowLogSumExp("rowLogSumExp").ColLogSumExp("colLogSumExp")},
		gemm.Spec[float32, float32, float32, float32]{Name: "DenseReLUAbs",
			Epilogue: gemm.Fuse[float32, float32](biasReLUAbs, []gemm.Output{gemm.Unstored[float32]("abs")}, f32("bias").In()).
				RowMax("rowMaxAbs").Of("abs").RowLogSumExp("rowLogSumExp").RowMax("rowMax").RowArgMax("rowArgMax").ColSum("colSum")},
		gemm.Spec[float32, float32, float32, int8]{Name: "Requant",
			Epilogue: gemm.Map3(requant, gemm.PerRow[float32]("scale"), gemm.Full[int8]("res"))},
		gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "MatMulBF16", Grouped: true},
		gemm.Spec[dtype.F16, dtype.F16, float32, float32]{Name: "MatMulF16"},
		gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "DenseGELUBF16", Grouped: true,
			Epilogue: gemm.Map2(biasGELU, f32("bias")).RowMax("rowMax").RowArgMax("class").RowSum("rowSum").ColSumSquares("colSumSquares")},
		gemm.Spec[dtype.F16, dtype.F16, float32, dtype.F16]{Name: "ResidualF16",
			Epilogue: gemm.Fuse[float32, dtype.F16](residual, []gemm.Output{gemm.Also[float32]("pre")},
				gemm.Full[float32]("res").In(), gemm.Scalar[float32]("scale").In()).ColMax("colMax")},
	)
}
