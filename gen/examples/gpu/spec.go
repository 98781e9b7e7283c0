//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// biasGELU is a dense layer's end: bias, then activation. It is stored as bf16.
func biasGELU(acc, bias float32) float32 { return act.GELU(acc + bias) }

// smallTiles keeps kernels short, to be read and committed. Fast ones have the tiles
// that a spec without GPU gets, and are four times as long.
var smallTiles = tiling.GPU{BM: 32, BN: 32, BK: 32, WM: 16, WN: 16, Stages: 2}

func main() {
	type bf = dtype.BF16
	gen.Main(
		gemm.Spec[bf, bf, float32, bf]{Name: "DenseGELU", Targets: gen.All, GPU: smallTiles,
			Epilogue: gemm.Map2(biasGELU, gemm.PerColumn[float32]("bias"))},
	)
}
