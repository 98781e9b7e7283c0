package vmath

import (
	"math"
	"math/big"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

func init() { bigs["math.Erfc"] = bigErfc }

// bigErfc returns 1 - erf x up to 2, then the continued fraction
//
//	e^(-x^2)/sqrt(pi) / (x + 1/2/(x + 1/(x + 3/2/(x + 2/(x + ...)))))
//
// (Abramowitz, Stegun, 7.1.14), cut where e^(-2x*sqrt(2n)) is 2^-320.
func bigErfc(x *big.Float) *big.Float {
	v, _ := x.Float64()
	switch {
	case v < 0:
		return zero().Sub(num(2), bigErfc(zero().Neg(x)))
	case v < 2:
		return zero().Sub(num(1), bigErf(x))
	case v > 40:
		return zero()
	}
	f := zero().Set(x)
	for n := int(6160/(v*v)) + 50; n > 0; n-- {
		f.Quo(num(float64(n)/2), f).Add(f, x)
	}
	y := bigExp(zero().Neg(zero().Mul(x, x)))
	return y.Quo(y, f.Mul(f, zero().Sqrt(bigPi())))
}

// TestErfc: what the others' tests do not say of it.
func TestErfc(t *testing.T) {
	y32, y64 := scalar32["math.Erfc"], scalar64["math.Erfc"]
	for _, c := range []struct{ x, want float64 }{
		{0, 1}, {math.Copysign(0, -1), 1}, {0x1p-149, 1}, {-0x1p-149, 1}, {math.Inf(1), 0}, {math.Inf(-1), 2}, {28, 0}, {-28, 2}, {math.NaN(), math.NaN()},
	} {
		if y := y32(float32(c.x)); distance(y, float32(c.want)) != 0 {
			t.Errorf("erfc(%g) in f32 is %x, not %g", c.x, y, c.want)
		}
		if y := y64(c.x); distance(y, c.want) != 0 {
			t.Errorf("erfc(%g) is %x, not %g", c.x, y, c.want)
		}
	}
	for _, x := range points32(64) {
		if y, z := y32(-x), 2-y32(x); x > 0 && y != z {
			t.Fatalf("erfc(%x) = %x, and 2 - erfc(%x) = %x", -x, y, x, z)
		}
	}
	for _, x := range points64(4) {
		if y, z := y64(-x), 2-y64(x); x > 0 && y != z {
			t.Fatalf("erfc(%x) = %x, and 2 - erfc(%x) = %x", -x, y, x, z)
		}
	}
	// The last number with a result above 0, and all denormal results.
	if x := float32(0x1.41bbf6p+03); y32(x) != math.SmallestNonzeroFloat32 || y32(math.Nextafter32(x, 11)) != 0 {
		t.Errorf("erfc(%x) = %x, and then %x", x, y32(x), y32(math.Nextafter32(x, 11)))
	}
	first, last := math.Float32bits(9.19), math.Float32bits(10.07)
	for b := first; b <= last; b += level.Of[uint32](131, 23, 1) {
		x := math.Float32frombits(b)
		judge(t, Lookup("math.Erfc"), 2, x, y32(x), float32(math.Erfc(float64(x))))
	}
	for x := 26.5; x < 27.25; x += 0x1p-9 {
		judge(t, Lookup("math.Erfc"), 2, x, y64(x), exact(Lookup("math.Erfc"), x))
	}
}
