//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// biasGELU is a dense layer's end: bias, then activation, then storage as bf16.
func biasGELU(acc, bias float32) dtype.BF16 { return dtype.ToBF16(act.GELU(acc + bias)) }

func main() {
	type (
		bf = dtype.BF16
		h  = dtype.F16
	)
	gen.Main(
		gemm.Spec[bf, bf, float32, bf]{Name: "MatMulBF16", Targets: gen.GPU},
		gemm.Spec[h, h, float32, h]{Name: "MatMulF16", Targets: gen.GPU},
		gemm.Spec[float32, float32, float32, float32]{Name: "MatMulF32", Targets: gen.GPU},
		gemm.Spec[bf, bf, float32, bf]{Name: "DenseGELU", Targets: gen.GPU,
			Epilogue: gemm.Map2(biasGELU, gemm.PerColumn[float32]("bias"))},
		gemm.Spec[float32, float32, float32, float32]{Name: "LongestPath", Operator: gemm.MaxPlus, Targets: gen.GPU},
		gemm.Spec[bf, bf, float32, bf]{Name: "Experts", Targets: gen.GPU, Grouped: true, GPU: tiling.GPU{BM: 32, BN: 64, BK: 32, WM: 32, WN: 32, Stages: 3},
			Epilogue: gemm.Map2(biasGELU, gemm.PerColumn[float32]("bias"))},
	)
}
