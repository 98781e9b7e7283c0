//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/quant"
)

func same(x float32) float32 { return x }

func main() {
	row, column := gemm.PerRow[float32]("scale").In(), gemm.PerColumn[float32]("scale").In()
	gen.Main(
		gemm.Spec[float32, float32, float32, dtype.BF16]{Name: "BF16", Epilogue: gemm.Fuse[float32, dtype.BF16](same, nil)},
		gemm.Spec[float32, float32, float32, dtype.F16]{Name: "F16", Epilogue: gemm.Fuse[float32, dtype.F16](same, nil)},
		gemm.Spec[float32, float32, float32, int8]{Name: "I8Rows", Epilogue: gemm.Fuse[float32, int8](quant.Quantise[int8], nil, row, gemm.PerRow[int8]("zero").In())},
		gemm.Spec[float32, float32, float32, int8]{Name: "I8Columns", Epilogue: gemm.Fuse[float32, int8](quant.Quantise[int8], nil, column, gemm.PerColumn[int8]("zero").In())},
		gemm.Spec[float32, float32, float32, uint8]{Name: "U8Rows", Epilogue: gemm.Fuse[float32, uint8](quant.Quantise[uint8], nil, row, gemm.PerRow[uint8]("zero").In())},
		gemm.Spec[float32, float32, float32, uint8]{Name: "U8Columns", Epilogue: gemm.Fuse[float32, uint8](quant.Quantise[uint8], nil, column, gemm.PerColumn[uint8]("zero").In())},
	)
}
