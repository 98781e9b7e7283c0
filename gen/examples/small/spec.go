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

// rectify is a layer's bias and activation.
func rectify(acc, bias float32) float32 { return max(acc+bias, 0) }

func cube(n int) gemm.Shape { return gemm.Shape{M: n, N: n, K: n} }

func main() {
	rectified := gemm.Map2(rectify, gemm.PerColumn[float32]("bias"))
	gen.Main(
		f32{Name: "Mul8", Shape: cube(8)},
		f32{Name: "Mul13", Shape: cube(13)},
		f32{Name: "Mul16", Shape: cube(16)},
		f32{Name: "Mul23", Shape: cube(23)},
		f32{Name: "Mul32", Shape: cube(32)},
		f32{Name: "Mul48", Shape: cube(48)},
		f32{Name: "Mul64", Shape: cube(64)},
		f64{Name: "Dmul4", Shape: cube(4)},
		f64{Name: "Dmul8", Shape: cube(8)},
		f64{Name: "Dmul23", Shape: cube(23)},
		f64{Name: "Dmul32", Shape: cube(32)},
		// A filter of six by ten for bunches of 32 signals.
		f32{Name: "Filter", Shape: gemm.Shape{M: 6, N: 32, K: 10}},
		// Its vectors are wider than its rows.
		f64{Name: "Rotate", Shape: gemm.Shape{M: 5, N: 3, K: 3}},
		// Layers of a network: the weights' shape is known, the number of inputs is not.
		f32{Name: "Project", Shape: gemm.Shape{N: 24, K: 100}},
		f32{Name: "Layer", Shape: gemm.Shape{N: 40, K: 32}, Epilogue: rectified},
		f32{Name: "Head", Shape: gemm.Shape{M: 4, N: 10, K: 40}, Epilogue: rectified},
	)
}
