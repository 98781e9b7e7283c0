//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
)

func main() {
	gen.Main(gemm.Spec[complex64, complex64, complex64, complex64]{Name: "CGEMM", Standalone: true})
}
