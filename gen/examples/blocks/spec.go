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

// biasReLU is a layer's bias and activation.
func biasReLU(acc, bias float32) float32 { return max(acc+bias, 0) }

func cube(n int) gemm.Shape { return gemm.Shape{M: n, N: n, K: n} }

func main() {
	anyCount := gemm.BatchReduce{Count: gemm.AnyCount}
	// BRGEMM16BF16 has kernels for every machine, the larger ones only for those with bf16 products.
	bf16Targets := []emit.Target{amd64.AMXBF16, amd64.AVX512BF16}
	gen.Main(
		f32{Name: "BRGEMM16", Shape: cube(16), Reduce: anyCount},
		f32{Name: "BRGEMM32", Shape: cube(32), Reduce: anyCount},
		f32{Name: "BRGEMM64", Shape: cube(64), Reduce: anyCount},
		bf16{Name: "BRGEMM16BF16", Shape: cube(16), Reduce: anyCount},
		bf16{Name: "BRGEMM32BF16", Shape: cube(32), Reduce: anyCount, Targets: bf16Targets},
		bf16{Name: "BRGEMM64BF16", Shape: cube(64), Reduce: anyCount, Targets: bf16Targets},
		// Blocks of larger matrices, whose rows do not fill a vector, always nine of them.
		f64{Name: "BRGEMMCount9", Shape: gemm.Shape{M: 5, N: 7, K: 6}, Reduce: gemm.BatchReduce{Count: 9, LdA: 54, LdB: 7, LdC: 21}},
		i16{Name: "BRGEMMInt16", Shape: gemm.Shape{M: 4, N: 20, K: 6}, Reduce: anyCount},
		f32{Name: "BRGEMMBiasReLU", Shape: gemm.Shape{M: 6, N: 32, K: 8}, Reduce: anyCount, Epilogue: gemm.Map2(biasReLU, gemm.PerColumn[float32]("bias"))},
	)
}
