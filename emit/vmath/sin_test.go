package vmath

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// farPoints are numbers of all sizes, among them the multiples of pi/2 that floats
// come nearest to.
func farPoints() (x []float64) {
	r := rand.New(level.PCG(5, 6))
	for e := -40; e < 1024; e += level.Of(32, 4, 1) {
		for range 4 {
			x = append(x, math.Ldexp(1+r.Float64(), e))
		}
	}
	for n := 1; n < 3000; n += level.Of(47, 9, 1) { // next to small multiples
		v := float64(n) * math.Pi / 2
		x = append(x, v, math.Nextafter(v, 0), math.Nextafter(v, math.Inf(1)))
	}
	// Nearer to a multiple of pi/2 than any other number, and what is nearest in f32.
	return append(x, 6381956970095103*math.Ldexp(1, 797), 0x1.fb44e2p+11, 0x1.6ac5b2p+27, 0x1.ddebdep+119, 1.6367e38, 0x1.fffffffffffecp+51)
}

// TestFar compares the circular functions with math/big: package math itself is far
// off near multiples of pi.
func TestFar(t *testing.T) {
	for _, name := range []string{"math.Sin", "math.Cos", "math.Tan"} {
		f := Lookup(name)
		if f == nil {
			continue
		}
		most32, most64 := 0.0, 0.0
		for _, x := range farPoints() {
			most64 = max(most64, judge(t, f, f.F64ULP, x, scalar64[name](x), exact(f, x)))
			v := float32(x)
			if math.IsInf(float64(v), 0) {
				continue
			}
			most32 = max(most32, judge(t, f, f.F32ULP, v, scalar32[name](v), float32(exact(f, float64(v)))))
		}
		t.Logf("%s: at most %v ulp in f32, %v in f64", name, most32, most64)
	}
}
