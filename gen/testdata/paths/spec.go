//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

func main() {
	gen.Main(
		gemm.Spec[float32, float32, float32, float32]{Name: "Shortest", Operator: gemm.Over(semiring.MinPlus[float32]())},
		gemm.Spec[float32, float32, float32, float32]{Name: "Reachable", Operator: gemm.Over(semiring.OrAnd[float32]())},
		spec.SpMM[float32]{Name: "Relax", Reduce: semiring.MinPlus[float32]()},
	)
}
