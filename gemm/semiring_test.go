package gemm

import (
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm/gemmtest"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

// TestInstructions: what an instruction computes in the interpreter is what the Go
// function does, to the bit, over special numbers and random ones.
func TestInstructions(t *testing.T) {
	for _, by := range []semiring.Instruction{semiring.AddBy, semiring.MulBy, semiring.MaxBy, semiring.MinBy} {
		op := func(b *emit.Builder, x, y *emit.Value) *emit.Value { return compute(b, by, nil, x, y) }
		gemmtest.Instruction[float32](t, by, op)
		gemmtest.Instruction[float64](t, by, op)
	}
}

// TestOver: the ordinary arithmetic is the fused one, and NaN spreads in all others.
func TestOver(t *testing.T) {
	if op := Over(semiring.PlusTimes[float64]()); op != (FMA{emit.F64}) {
		t.Errorf("+ and * are the operator %v", op)
	}
	nan := []float32{float32(math.NaN()), 1}
	one := []float32{1, float32(math.NaN())}
	for i := range gemmtest.Lanes - 2 {
		nan, one = append(nan, nan[i]), append(one, one[i])
	}
	for _, s := range []semiring.Semiring[float32]{semiring.MaxPlus[float32](), semiring.MinPlus[float32](), semiring.MaxTimes[float32](), semiring.MaxMin[float32](), semiring.PlusMin[float32]()} {
		for i, x := range gemmtest.Interpret(t, nan, one, Over(s).Join) {
			if x == x {
				t.Errorf("%s: Plus of %v and %v is %v", s.Name, nan[i], one[i], x)
			}
		}
	}
}
