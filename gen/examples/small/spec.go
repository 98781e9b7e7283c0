//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
)

type (
	f32 = gemm.Spec[float32, float32, float32, float32]
	f64 = gemm.Spec[float64, float64, float64, float64]
)

// biasReLU is a layer's bias and activation.
func biasReLU(acc, bias float32) float32 { return max(acc+bias, 0) }

func cube(n int) gemm.Shape { return gemm.Shape{M: n, N: n, K: n} }

func main() {
	withBiasReLU := gemm.Map2(biasReLU, gemm.PerColumn[float32]("bias"))
	gen.Main(
		f32{Name: "SGEMM8", Shape: cube(8)},
		f32{Name: "SGEMM13", Shape: cube(13)},
		f32{Name: "SGEMM16", Shape: cube(16)},
		f32{Name: "SGEMM23", Shape: cube(23)},
		f32{Name: "SGEMM32", Shape: cube(32)},
		f32{Name: "SGEMM48", Shape: cube(48)},
		f32{Name: "SGEMM64", Shape: cube(64)},
		f64{Name: "DGEMM4", Shape: cube(4)},
		f64{Name: "DGEMM8", Shape: cube(8)},
		f64{Name: "DGEMM23", Shape: cube(23)},
		f64{Name: "DGEMM32", Shape: cube(32)},
		// A filter bank of 6 filters of 10 taps, for 32 signals at once.
		f32{Name: "FilterBank", Shape: gemm.Shape{M: 6, N: 32, K: 10}},
		// Its vectors are wider than its rows.
		f64{Name: "Rotate3D", Shape: gemm.Shape{M: 5, N: 3, K: 3}},
		// Layers of a network: the weights' shape is known, the number of inputs is not.
		f32{Name: "Linear", Shape: gemm.Shape{N: 24, K: 100}},
		f32{Name: "LinearReLU", Shape: gemm.Shape{N: 40, K: 32}, Epilogue: withBiasReLU},
		f32{Name: "LinearReLUBatch4", Shape: gemm.Shape{M: 4, N: 10, K: 40}, Epilogue: withBiasReLU},
	)
}
