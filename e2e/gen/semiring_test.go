package gen_test

import "testing"

// semiringSpec has semirings of a user's own, whose sums round, and stock ones, sparse and
// dense.
const semiringSpec = `//go:build ignore

package main

import (
	"math"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

func hypot(x, y float32) float32 { return float32(math.Sqrt(float64(x*x + y*y))) }

func product(x, y float32) float32 { return float32(math.Abs(float64(x * y))) }

// either is the logarithm of a sum of probabilities, both of them that of a product.
func either(x, y float64) float64 {
	most, least := max(x, y), min(x, y)
	if least == math.Inf(-1) {
		return most
	}
	return most + math.Log(1+math.Exp(least-most))
}

func both(x, y float64) float64 { return x + y }

func main() {
	norms := semiring.Semiring[float32]{Name: "norms", Plus: hypot, Times: product, Laws: semiring.Laws{Commutative: true}}
	chances := semiring.Semiring[float64]{Name: "chances", Zero: math.Inf(-1), Plus: either, Times: both}
	gen.Main(
		spec.SpMM[float32]{Name: "SparseNorms", Reduce: norms},
		spec.SpMV[float64]{Name: "SparseChances", Reduce: chances},
		gemm.Spec[float32, float32, float32, float32]{Name: "Norms", Operator: gemm.Over(norms)},
		gemm.Spec[float64, float64, float64, float64]{Name: "Chances", Operator: gemm.Over(chances)},
		gemm.Spec[float64, float64, float64, float64]{Name: "Longest", Operator: gemm.Over(semiring.MaxPlus[float64]())},
		gemm.Spec[float32, float32, float32, float32]{Name: "Common", Operator: gemm.Over(semiring.PlusMin[float32]())},
	)
}
`

// TestSemirings generates products of semirings, also of some whose sums round, and their
// tests pass.
func TestSemirings(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a package")
	}
	if !long() {
		t.Skip("TILESMITH_LONG=1 builds and runs six semirings; TestProducts has three")
	}
	t.Parallel()
	s := newScratch(t, map[string]string{"doc.go": "// Package other is one.\npackage other\n", "spec.go": semiringSpec})
	s.makes(".", "run", "spec.go")
	s.goes("test", ".")
}
