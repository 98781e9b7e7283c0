package op

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// TestHalves takes numbers of all kinds apart and together.
func TestHalves(t *testing.T) {
	r := rand.New(level.PCG(1, 2))
	for range 1000 {
		x := math.Float32frombits(r.Uint32())
		if y := Zip(High(x), Low(x)); math.Float32bits(y) != math.Float32bits(x) && (x == x || y == y) {
			t.Fatalf("%v became %v", x, y)
		}
	}
}

// TestStochastic wants a mean that is right, neighbours, and what cannot be rounded as it is.
func TestStochastic(t *testing.T) {
	const x = 1 + 3.0/512 // three quarters of the way from 1 to 1+1/128
	r, sum, n := rand.New(level.PCG(3, 4)), 0.0, 100000
	for range n {
		y := Stochastic(x, r.Int32()).Float32()
		if y != 1 && y != 1+1.0/128 {
			t.Fatalf("%v", y)
		}
		sum += float64(y)
	}
	if mean := sum / float64(n); math.Abs(mean-x) > 1e-4 {
		t.Errorf("the mean is %v, want %v", mean, float64(x))
	}
	for _, odd := range []float32{0, float32(math.Inf(1)), float32(math.Inf(-1))} {
		if y := Stochastic(odd, -1).Float32(); y != odd {
			t.Errorf("%v became %v", odd, y)
		}
	}
	if y := Stochastic(float32(math.NaN()), -1).Float32(); y == y {
		t.Errorf("NaN became %v", y)
	}
}
