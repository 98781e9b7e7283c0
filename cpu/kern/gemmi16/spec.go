//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
)

func main() {
	gen.Main(gemm.Spec[int16, int16, int32, int32]{Name: "I16"})
}
