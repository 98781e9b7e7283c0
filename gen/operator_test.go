package gen

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
)

// minus is an operator that gen cannot make a portable package of.
type minus struct{ gemm.FMA }

func (minus) String() string { return "minus" }
func (minus) Step(b *emit.Builder, acc, x, y *emit.Value) *emit.Value {
	return b.Sub(acc, b.Mul(x, y))
}

// TestOperator refuses a package that would be wrong where there is no assembly.
func TestOperator(t *testing.T) {
	_, err := Generate(Options{Package: "p", Source: "spec.go", Dir: "."},
		gemm.Spec[float32, float32, float32, float32]{Name: "Minus", Operator: minus{gemm.FMA{Elem: emit.F32}}})
	if err == nil || !strings.Contains(err.Error(), "gen: Minus: operator minus has no portable form") {
		t.Errorf("have %v", err)
	}
}
