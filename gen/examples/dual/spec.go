//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

func main() {
	gen.Main(gemm.Spec[complex128, complex128, complex128, complex128]{Name: "MatMul", Operator: gemm.Over(semiring.Dual[complex128]())})
}
