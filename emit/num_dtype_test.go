package emit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TestDtype: the narrow types of package dtype, which programs store, mean what
// the interpreter takes them for. The two conversions are written apart.
func TestDtype(t *testing.T) {
	for _, c := range []struct {
		e      Elem
		typ    dtype.Type
		decode func(uint64) float64
		encode func(float64) uint64
		single func(float32) uint64
	}{
		{F16, dtype.Of[dtype.F16](),
			func(b uint64) float64 { return dtype.F16FromBits(uint16(b)).Float64() },
			func(x float64) uint64 { return uint64(dtype.ToF16(x).Bits()) },
			func(x float32) uint64 { return uint64(dtype.ToF16(x).Bits()) }},
		{BF16, dtype.Of[dtype.BF16](),
			func(b uint64) float64 { return dtype.BF16FromBits(uint16(b)).Float64() },
			func(x float64) uint64 { return uint64(dtype.ToBF16(x).Bits()) },
			func(x float32) uint64 { return uint64(dtype.ToBF16(x).Bits()) }},
		{F8E4M3, dtype.Of[dtype.F8E4M3](),
			func(b uint64) float64 { return dtype.F8E4M3FromBits(uint8(b)).Float64() },
			func(x float64) uint64 { return uint64(dtype.ToF8E4M3(x).Bits()) },
			func(x float32) uint64 { return uint64(dtype.ToF8E4M3(x).Bits()) }},
		{F8E5M2, dtype.Of[dtype.F8E5M2](),
			func(b uint64) float64 { return dtype.F8E5M2FromBits(uint8(b)).Float64() },
			func(x float64) uint64 { return uint64(dtype.ToF8E5M2(x).Bits()) },
			func(x float32) uint64 { return uint64(dtype.ToF8E5M2(x).Bits()) }},
	} {
		if c.typ.String() != c.e.String() || c.typ.Size() != c.e.Bytes() {
			t.Errorf("%v of %d bytes is %v of %d bytes in dtype", c.e, c.e.Bytes(), c.typ, c.typ.Size())
		}
		same := func(x float64) {
			if got, want := c.encode(x), c.e.Encode(x); got != want {
				t.Errorf("%v: %v = %#x is %#x in dtype, %#x here", c.e, x, math.Float64bits(x), got, want)
			}
			if f := float32(x); x == x {
				if got, want := c.single(f), c.e.Encode(float64(f)); got != want {
					t.Errorf("%v: float32 %v is %#x in dtype, %#x here", c.e, f, got, want)
				}
			}
		}
		for b := range uint64(1) << c.e.Bits() {
			x := c.decode(b)
			if want := c.e.Decode(b); math.Float64bits(x) != math.Float64bits(want) {
				t.Errorf("%v: %#x is %v = %#x in dtype, %v = %#x here", c.e, b, x, math.Float64bits(x), want, math.Float64bits(want))
			}
			same(x)
			// Halfway to the next number, and beside that.
			if mid := x + (c.e.Decode(b+1)-x)/2; b+1 < 1<<c.e.Bits() {
				same(mid)
				same(math.Nextafter(mid, 0))
				same(math.Nextafter(mid, math.Inf(1)))
			}
		}
		r := rand.New(level.PCG(3, 4))
		for range 200000 {
			same(math.Float64frombits(r.Uint64()))
			same(float64(math.Float32frombits(r.Uint32())))
		}
	}
}
