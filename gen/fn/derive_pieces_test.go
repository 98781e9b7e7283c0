package fn

import (
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gen/fn/testdata/fntest"
)

// TestDerivativeSize bounds derivatives of functions that choose again and again: as many nodes as a small multiple of what
// they are of, though there are 2 to the power of the choices of ways through them.
func TestDerivativeSize(t *testing.T) {
	p := derivation(t)
	for _, f := range []any{fntest.Settling[float64], fntest.Folding[float64], fntest.Pieces[float64]} {
		of := derivativeOf(t, p, f)
		d := derivativeOf(t, p, emit.Derivative{Of: f})
		if before, after := len(reachable(of.out)), len(reachable(d.out)); after > 10*before {
			t.Errorf("%s: %d nodes, and %d for the function", d.Name, after, before)
		}
	}
}

// TestDerivativeOverflow: a factor that overflows multiplies the sum of what the pieces give, not each of them.
func TestDerivativeOverflow(t *testing.T) {
	p := derivation(t)
	d := derivativeOf(t, p, emit.Derivative{Of: fntest.Growing[float64]})
	k := newKernel(t, d, false)
	for _, c := range []struct{ x, dy, want float64 }{
		{800, 1, math.Inf(1)}, {800, -3, math.Inf(-1)}, {2, 1, math.Exp(2) * 1.5}, {0.5, 2, math.Exp(0.5) * 2}, {-1, 1, -0.5 * math.Exp(-1)},
	} {
		if got := run1(t, k, c.x, c.dy)[0]; got != c.want && !(math.Abs(got-c.want) <= 1e-14*math.Abs(c.want)) {
			t.Errorf("at %v times %v: %v, want %v", c.x, c.dy, got, c.want)
		}
	}
}
