//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

type (
	f32  = gemm.Spec[float32, float32, float32, float32]
	f64  = gemm.Spec[float64, float64, float64, float64]
	bf16 = gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]
	i16  = gemm.Spec[int16, int16, int32, int32]
)

// rectify is a layer's bias and activation.
func rectify(acc, bias float32) float32 { return max(acc+bias, 0) }

func cube(n int) gemm.Shape { return gemm.Shape{M: n, N: n, K: n} }

func main() {
	any := gemm.BatchReduce{Count: gemm.AnyCount}
	// What Brain16 has for every machine, the larger ones have for those with products of bf16 only.
	brain := []emit.Target{amd64.AMXBF16, amd64.AVX512BF16}
	gen.Main(
		f32{Name: "Sum16", Shape: cube(16), Reduce: any},
		f32{Name: "Sum32", Shape: cube(32), Reduce: any},
		f32{Name: "Sum64", Shape: cube(64), Reduce: any},
		bf16{Name: "Brain16", Shape: cube(16), Reduce: any},
		bf16{Name: "Brain32", Shape: cube(32), Reduce: any, Targets: brain},
		bf16{Name: "Brain64", Shape: cube(64), Reduce: any, Targets: brain},
		// Blocks of larger matrices, whose rows do not fill a vector, always nine of them.
		f64{Name: "Nine", Shape: gemm.Shape{M: 5, N: 7, K: 6}, Reduce: gemm.BatchReduce{Count: 9, LdA: 54, LdB: 7, LdC: 21}},
		i16{Name: "Whole", Shape: gemm.Shape{M: 4, N: 20, K: 6}, Reduce: any},
		f32{Name: "Layer", Shape: gemm.Shape{M: 6, N: 32, K: 8}, Reduce: any, Epilogue: gemm.Map2(rectify, gemm.PerColumn[float32]("bias"))},
	)
}
