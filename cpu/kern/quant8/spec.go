//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/quant"
)

// operands are the bias in the unit of the sum, and the scale as one factor of each row and
// one of each column.
func operands(more ...gemm.Input) []gemm.Input {
	return append([]gemm.Input{gemm.PerColumn[int32]("bias").In(), gemm.PerRow[float32]("row").In(), gemm.PerColumn[float32]("column").In()}, more...)
}

func requantiseI8(acc, bias int32, row, column float32, zero int8) int8 {
	return quant.RequantiseBias(acc, bias, row*column, zero)
}

func requantiseU8(acc, bias int32, row, column float32, zero uint8) uint8 {
	return quant.RequantiseBias(acc, bias, row*column, zero)
}

func dequantise(acc, bias int32, row, column float32) float32 {
	return quant.DequantiseBias(acc, bias, row*column)
}

var (
	toI8  = gemm.Fuse[int32, int8](requantiseI8, nil, operands(gemm.Scalar[int8]("zero").In())...).ZeroPoints("az", "bz")
	toU8  = gemm.Fuse[int32, uint8](requantiseU8, nil, operands(gemm.Scalar[uint8]("zero").In())...).ZeroPoints("az", "bz")
	toF32 = gemm.Fuse[int32, float32](dequantise, nil, operands()...).ZeroPoints("az", "bz")
)

// products are those of an a of type A, which is called name.
func products[A uint8 | int8](name string) []gen.Spec {
	return []gen.Spec{
		gemm.Spec[A, int8, int32, int8]{Name: name + "ToI8", Epilogue: toI8},
		gemm.Spec[A, int8, int32, uint8]{Name: name + "ToU8", Epilogue: toU8},
		gemm.Spec[A, int8, int32, float32]{Name: name + "ToF32", Epilogue: toF32},
	}
}

func main() {
	gen.Main(append(products[uint8]("U8"), products[int8]("I8")...)...)
}
