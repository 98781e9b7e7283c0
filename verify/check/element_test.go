package check

import (
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TestUlp compares with the definition, at the ends of every format too.
func TestUlp(t *testing.T) {
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.TypeF16, dtype.TypeBF16, dtype.TypeF8E4M3, dtype.TypeF8E5M2} {
		bits, least := numberFormat(typ)
		for e := -1080; e < 1024; e++ {
			for _, m := range []float64{1, -1, 1.5, 2 - 0x1p-52} {
				x := math.Ldexp(m, e)
				_, of := math.Frexp(x)
				if want := math.Ldexp(1, max(of-bits, least)); ulpOf(typ, x) != want {
					t.Fatalf("%v: the ulp of %g is %g, want %g", typ, x, ulpOf(typ, x), want)
				}
			}
		}
		for _, x := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
			if have := ulpOf(typ, x); have != 0 {
				t.Errorf("%v: the ulp of %g is %g, want 0", typ, x, have)
			}
		}
	}
	if have := ulpOf(dtype.I8, 100); have != 1 {
		t.Errorf("the ulp of an integer is %g, want 1", have)
	}
}
