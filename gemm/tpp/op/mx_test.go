package op

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// mxFormats are the functions of each format, and its numbers without a sign, in order, as the specification's table 1 has them.
var mxFormats = []struct {
	name    string
	scale   func(float32) uint8
	to      func(float32, uint8) uint8
	from    func(e, scale uint8) float32
	numbers []float64
	sign    int
}{
	{"E2M1", ScaleE2M1, ToE2M1, FromE2M1, []float64{0, 0.5, 1, 1.5, 2, 3, 4, 6}, 8},
	{"E2M3", ScaleE2M3, ToE2M3, FromE2M3, numbers(2, 3, 1), 32},
	{"E3M2", ScaleE3M2, ToE3M2, FromE3M2, numbers(3, 2, 3), 32},
	{"E4M3", ScaleE4M3, ToE4M3, FromE4M3, numbers(4, 3, 7)[:127], 128},
	{"E5M2", ScaleE5M2, ToE5M2, FromE5M2, numbers(5, 2, 15)[:124], 128},
}

// numbers lists those of a format by its definition.
func numbers(eb, mb, bias int) (all []float64) {
	for e := range 1 << eb {
		for m := range 1 << mb {
			if e == 0 {
				all = append(all, math.Ldexp(float64(m), 1-bias-mb))
			} else {
				all = append(all, math.Ldexp(1+math.Ldexp(float64(m), -mb), e-bias))
			}
		}
	}
	return all
}

// TestMXNumbers wants each element to be its number times the scale, of either sign, and to come from it.
func TestMXNumbers(t *testing.T) {
	for _, f := range mxFormats {
		for code, x := range f.numbers {
			for _, scale := range []uint8{100, 127, 128, 200} {
				want := float32(math.Ldexp(x, int(scale)-127))
				if have := f.from(uint8(code), scale); have != want {
					t.Errorf("%s: element %#x with scale %d is %v, want %v", f.name, code, scale, have, want)
				}
				if have := f.from(uint8(code|f.sign), scale); have != -want {
					t.Errorf("%s: element %#x with scale %d is %v, want %v", f.name, code|f.sign, scale, have, -want)
				}
				if have := f.to(want, scale); int(have) != code {
					t.Errorf("%s: %v with scale %d is %#x, want %#x", f.name, want, scale, have, code)
				}
				if have := f.to(-want, scale); int(have) != code|f.sign {
					t.Errorf("%s: %v with scale %d is %#x, want %#x", f.name, -want, scale, have, code|f.sign)
				}
			}
		}
	}
}

// TestMXBytes wants what package dtype makes of all bytes of the two formats that it has.
func TestMXBytes(t *testing.T) {
	for b := range 256 {
		for _, c := range []struct{ have, want float32 }{
			{FromE4M3(uint8(b), 127), dtype.F8E4M3FromBits(uint8(b)).Float32()}, {FromE5M2(uint8(b), 127), dtype.F8E5M2FromBits(uint8(b)).Float32()},
		} {
			if c.have != c.want && (c.have == c.have || c.want == c.want) {
				t.Errorf("byte %#x is %v, want %v", b, c.have, c.want)
			}
		}
	}
}

// TestMXNearest wants the nearest element, of two as near the even one, and the greatest of what is beyond.
func TestMXNearest(t *testing.T) {
	r := rand.New(level.PCG(1, 2))
	for _, f := range mxFormats {
		n := f.numbers
		check := func(x float64) {
			best := 0
			for i := range n {
				if d, b := math.Abs(n[i]-x), math.Abs(n[best]-x); d < b || d == b && i%2 == 0 {
					best = i
				}
			}
			if have := f.to(float32(x), 127); int(have) != best {
				t.Errorf("%s: %v is element %#x, want %#x", f.name, x, have, best)
			}
		}
		for i := 1; i < len(n); i++ {
			middle := (n[i-1] + n[i]) / 2
			check(middle)
			check(float64(math.Nextafter32(float32(middle), 0)))
			check(float64(math.Nextafter32(float32(middle), 1e9)))
		}
		for range 2000 {
			check(float64(float32(n[len(n)-1] * 1.2 * r.Float64() * math.Exp2(-8*r.Float64()))))
		}
		check(n[len(n)-1] * 1000)
	}
}

// TestMXScales: blocks of any size keep what an element can, and NaN.
func TestMXScales(t *testing.T) {
	for _, f := range mxFormats {
		most := f.numbers[len(f.numbers)-1]
		for e := -149; e < 128; e++ {
			x := float32(math.Ldexp(1.25, e))
			s := f.scale(x)
			have := f.from(f.to(x, s), s)
			if off := math.Abs(float64(have-x)) / float64(x); off > 0.25 && e > -120 {
				t.Errorf("%s: %v in a block of its own comes back as %v", f.name, x, have)
			}
			if v := float64(x) / math.Ldexp(1, int(s)-127); e > -110 && (v > 2*most || v < most/4) {
				t.Errorf("%s: %v with scale %d is %v, far from the greatest element, %v", f.name, x, s, v, most)
			}
		}
		for _, odd := range []float64{math.NaN(), math.Inf(1)} {
			if s := f.scale(float32(odd)); s != 255 || f.from(f.to(1, s), s) == f.from(f.to(1, s), s) {
				t.Errorf("%s: a block with %v has scale %d and gives %v", f.name, odd, s, f.from(f.to(1, s), s))
			}
		}
		if s := f.scale(0); s != 0 || f.from(f.to(0, s), s) != 0 {
			t.Errorf("%s: a block of zeros has scale %d", f.name, s)
		}
	}
}
