//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
)

func main() {
	gen.Main(gemm.Spec[complex128, complex128, complex128, complex128]{Name: "ZGEMM", Standalone: true})
}
