//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

func main() {
	gen.Main(gemm.Spec[dtype.F16, dtype.F16, float32, float32]{Name: "F16"})
}
