//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
)

func main() {
	gen.Main(
		gemm.Spec[uint8, int8, int32, int32]{Name: "U8I8"},
		gemm.Spec[int8, int8, int32, int32]{Name: "I8"},
		gemm.Spec[uint8, uint8, int32, int32]{Name: "U8"},
		gemm.Spec[int8, uint8, int32, int32]{Name: "I8U8"},
		gemm.Spec[int8, int16, int32, int32]{Name: "I8I16"},
		gemm.Spec[int16, int8, int32, int32]{Name: "I16I8"},
	)
}
