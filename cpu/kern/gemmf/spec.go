//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
)

func main() {
	gen.Main(
		gemm.Spec[float32, float32, float32, float32]{Name: "SGEMM", Standalone: true},
		gemm.Spec[float64, float64, float64, float64]{Name: "DGEMM", Standalone: true},
	)
}
