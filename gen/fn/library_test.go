package fn

import (
	"math"
	"math/bits"
	"strings"
	"testing"
)

// TestLibraryValues: functions of packages math and math/bits are epilogues themselves.
func TestLibraryValues(t *testing.T) {
	p := load(t)
	for _, c := range []struct {
		f    any
		want string // the expression that calls it, or the error after "!"
		tol  float64
	}{
		{math.Tanh, "math.Tanh", 4}, {math.Log1p, "math.Log1p", 4}, {math.Exp, "math.Exp", 4}, {math.Ceil, "math.Ceil", 0},
		{math.Sqrt, "math.Sqrt", 0}, {math.Floor, "math.Floor", 0}, {math.Abs, "math.Abs", 0}, {math.Max, "math.Max", 0},
		{math.Round, "math.Round", 0}, {math.IsNaN, "math.IsNaN", 0},
		{bits.OnesCount32, "bits.OnesCount32", 0}, {bits.LeadingZeros8, "bits.LeadingZeros8", 0}, {bits.Len64, "bits.Len64", 0},
		{bits.RotateLeft16, "bits.RotateLeft16", 0}, {bits.TrailingZeros, "bits.TrailingZeros", 0},
		{math.Gamma, "!math.Gamma has no vector form; those that have one are Abs, ", 0},
		{bits.Reverse8, "!bits.Reverse8 has no vector form; those that have one are LeadingZeros, LeadingZeros16, ", 0},
	} {
		ref, err := ValueOf(c.f)
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.Lookup(ref)
		if why, refused := strings.CutPrefix(c.want, "!"); refused {
			if err == nil || !strings.HasPrefix(err.Error(), why) || strings.Contains(err.Error(), ".go") {
				t.Errorf("%v: %v, want %s...", ref, err, why)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", ref, err)
			continue
		}
		if src, err := f.Source("example.com/x", nil, nil); err != nil || src.Expr != c.want {
			t.Errorf("%v is called as %v: %v", ref, src, err)
		}
		compare(t, f, c.f, true, c.tol)
	}
}
