//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/quant"
)

// biasReLU is the end of a layer whose results go to another one.
func biasReLU(acc, bias float32) float32 { return act.ReLU(acc + bias) }

// addBias is the end of the last layer.
func addBias(acc, bias float32) float32 { return acc + bias }

// requantise is biasReLU of sums of integers: what is below 0 becomes 0.
func requantise(acc, bias int32, scale float32) uint8 {
	return quant.RequantiseBias[uint8](acc, bias, scale, 0)
}

// dequantise is addBias of sums of integers.
func dequantise(acc, bias int32, scale float32) float32 {
	return quant.DequantiseBias(acc, bias, scale)
}

func main() {
	bias, scale := gemm.PerColumn[float32]("bias"), gemm.PerColumn[float32]("scale")
	bias32 := gemm.PerColumn[int32]("bias")
	gen.Main(
		gemm.Spec[float32, float32, float32, float32]{Name: "Dense", Epilogue: gemm.Map2(biasReLU, bias)},
		gemm.Spec[float32, float32, float32, float32]{Name: "Logits", Epilogue: gemm.Map2(addBias, bias)},
		gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "DenseBF16", Epilogue: gemm.Map2(biasReLU, bias)},
		gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "LogitsBF16", Epilogue: gemm.Map2(addBias, bias)},
		gemm.Spec[uint8, int8, int32, uint8]{Name: "DenseInt8", Epilogue: gemm.Map3(requantise, bias32, scale)},
		gemm.Spec[uint8, int8, int32, float32]{Name: "LogitsInt8", Epilogue: gemm.Map3(dequantise, bias32, scale)},
	)
}
