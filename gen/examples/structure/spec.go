//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
)

// biasReLU is the end of a layer.
func biasReLU(acc, bias float64) float64 { return max(acc+bias, 0) }

// polynomial is a kernel function of inner products.
func polynomial(acc, scale float32) float32 {
	x := acc*scale + 1
	return x * x
}

func main() {
	gen.Main(
		gemm.Spec[float32, float32, float32, float32]{Name: "PolynomialGram", Structure: gemm.Structure{Out: gemm.Lower},
			Epilogue: gemm.Map2(polynomial, gemm.Scalar[float32]("scale"))},
		gemm.Spec[float64, float64, float64, float64]{Name: "SymmetricBiasReLU", Structure: gemm.Structure{A: gemm.Symmetric(gemm.Upper)},
			Epilogue: gemm.Map2(biasReLU, gemm.PerColumn[float64]("bias"))},
		gemm.Spec[float32, float32, float32, float32]{Name: "UnitLowerMatMul", Structure: gemm.Structure{A: gemm.UnitLower}},
	)
}
