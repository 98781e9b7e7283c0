package dtype

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// narrow is one of the narrow types by its definition, with the functions under
// test in terms of codes.
type narrow struct {
	name      string
	typ       Type
	bits, man int
	bias      int
	inf       bool // has infinities
	largest   float64
	to32      func(float32) uint64
	to64      func(float64) uint64
	sat32     func(float32) uint64
	sat64     func(float64) uint64
	from      func(code uint64) (bits uint64, x32 float32, x64 float64, text string)
}

var narrows = []narrow{
	{"F16", TypeF16, 16, 10, 15, true, 65504,
		func(x float32) uint64 { return uint64(ToF16(x).Bits()) },
		func(x float64) uint64 { return uint64(ToF16(x).Bits()) }, nil, nil,
		func(c uint64) (uint64, float32, float64, string) {
			x := F16FromBits(uint16(c))
			return uint64(x.Bits()), x.Float32(), x.Float64(), x.String()
		}},
	{"BF16", TypeBF16, 16, 7, 127, true, math.Ldexp(255, 120),
		func(x float32) uint64 { return uint64(ToBF16(x).Bits()) },
		func(x float64) uint64 { return uint64(ToBF16(x).Bits()) }, nil, nil,
		func(c uint64) (uint64, float32, float64, string) {
			x := BF16FromBits(uint16(c))
			return uint64(x.Bits()), x.Float32(), x.Float64(), x.String()
		}},
	{"F8E4M3", TypeF8E4M3, 8, 3, 7, false, 448,
		func(x float32) uint64 { return uint64(ToF8E4M3(x).Bits()) },
		func(x float64) uint64 { return uint64(ToF8E4M3(x).Bits()) },
		func(x float32) uint64 { return uint64(ToF8E4M3Sat(x).Bits()) },
		func(x float64) uint64 { return uint64(ToF8E4M3Sat(x).Bits()) },
		func(c uint64) (uint64, float32, float64, string) {
			x := F8E4M3FromBits(uint8(c))
			return uint64(x.Bits()), x.Float32(), x.Float64(), x.String()
		}},
	{"F8E5M2", TypeF8E5M2, 8, 2, 15, true, 57344,
		func(x float32) uint64 { return uint64(ToF8E5M2(x).Bits()) },
		func(x float64) uint64 { return uint64(ToF8E5M2(x).Bits()) },
		func(x float32) uint64 { return uint64(ToF8E5M2Sat(x).Bits()) },
		func(x float64) uint64 { return uint64(ToF8E5M2Sat(x).Bits()) },
		func(c uint64) (uint64, float32, float64, string) {
			x := F8E5M2FromBits(uint8(c))
			return uint64(x.Bits()), x.Float32(), x.Float64(), x.String()
		}},
}

func (f *narrow) sign() uint64 { return 1 << (f.bits - 1) }

// value is the definition of the format.
func (f *narrow) value(code uint64) float64 {
	sign := 1.0
	if code&f.sign() != 0 {
		sign = -1
	}
	mag := code & (f.sign() - 1)
	exp, frac := int(mag>>f.man), int(mag)&(1<<f.man-1)
	top := 1<<(f.bits-1-f.man) - 1 // the largest exponent field
	switch {
	case f.inf && exp == top && frac == 0:
		return math.Inf(int(sign))
	case f.inf && exp == top, !f.inf && exp == top && frac == 1<<f.man-1:
		return math.NaN()
	case exp == 0:
		return sign * math.Ldexp(float64(frac), 1-f.bias-f.man)
	}
	return sign * math.Ldexp(float64(1<<f.man+frac), exp-f.bias-f.man)
}

// ladder returns the finite numbers from 0 up: the index of each is its code. One
// more follows, the number that the code after the largest would mean if it were
// not taken.
func (f *narrow) ladder() []float64 {
	var v []float64
	for code := uint64(0); ; code++ {
		x := f.value(code)
		if math.IsInf(x, 0) || x != x {
			n := len(v)
			return append(v, 2*v[n-1]-v[n-2])
		}
		v = append(v, x)
	}
}

// A climb rounds numbers in rising order to the nearest rung of the ladder, ties
// to the even code. It knows nothing of bits: both differences are decided by
// comparison with the midpoint, which is exact.
type climb struct {
	v  []float64
	at int
}

func (c *climb) code(x float64) uint64 {
	for c.at+2 < len(c.v) && x >= c.v[c.at+1] {
		c.at++
	}
	k := uint64(c.at)
	if c.at+1 == len(c.v) {
		return k
	}
	switch mid := c.v[c.at] + (c.v[c.at+1]-c.v[c.at])/2; {
	case x > mid, x == mid && k%2 == 1:
		return k + 1
	}
	return k
}

// TestDecode looks at every code of every format.
func TestDecode(t *testing.T) {
	for _, f := range narrows {
		if got := f.ladder(); got[len(got)-2] != f.largest {
			t.Fatalf("%s: the largest number is %v, not %v", f.name, got[len(got)-2], f.largest)
		}
		nans := 0
		for code := range uint64(1) << f.bits {
			bits, x32, x64, text := f.from(code)
			want := f.value(code)
			if bits != code {
				t.Fatalf("%s: Bits of FromBits(%#x) is %#x", f.name, code, bits)
			}
			if want != want {
				nans++
				if x32 == x32 || x64 == x64 || text != "NaN" {
					t.Errorf("%s: %#x is %v, %v, %s, want NaN", f.name, code, x32, x64, text)
				}
				if sign := code&f.sign() != 0; math.Signbit(x64) != sign || math.Float64bits(x64)>>51&1 == 0 {
					t.Errorf("%s: NaN %#x in float64 is %#x", f.name, code, math.Float64bits(x64))
				}
				continue
			}
			if math.Float64bits(x64) != math.Float64bits(want) || math.Float32bits(x32) != math.Float32bits(float32(want)) || float64(x32) != want {
				t.Errorf("%s: %#x is %v and %v, want %v", f.name, code, x32, x64, want)
			}
			if back, err := strconv.ParseFloat(text, 32); err != nil || back != want {
				t.Errorf("%s: %#x prints as %s, which is %v (%v), not %v", f.name, code, text, back, err, want)
			}
		}
		want := 2
		if f.inf {
			want = 2 * (1<<f.man - 1)
		}
		if nans != want {
			t.Errorf("%s has %d NaNs, want %d", f.name, nans, want)
		}
	}
}

// TestRoundTrip: every number and NaN of a format comes back from both float types.
func TestRoundTrip(t *testing.T) {
	for _, f := range narrows {
		for code := range uint64(1) << f.bits {
			_, x32, x64, _ := f.from(code)
			if x64 != x64 {
				// A NaN comes back quiet, else the same. Through float32 it may lose
				// payload and sign on some processors.
				want := code
				if f.inf {
					want |= 1 << (f.man - 1)
				}
				if got := f.to64(x64); got != want {
					t.Errorf("%s: NaN %#x comes back as %#x, want %#x", f.name, code, got, want)
				}
				if got := f.to32(x32); f.value(got) == f.value(got) {
					t.Errorf("%s: NaN %#x comes back as %#x from float32", f.name, code, got)
				}
				continue
			}
			if got, got64 := f.to32(x32), f.to64(x64); got != code || got64 != code {
				t.Errorf("%s: %v = %#x comes back as %#x from float32, %#x from float64", f.name, x64, code, got, got64)
			}
		}
	}
}

// TestMidpoints: between neighbours, the midpoint goes to the even one; what lies
// just beside it, in float32 and much nearer in float64, to the nearer one. The
// float64 neighbours become the midpoint if they are rounded to float32 first.
func TestMidpoints(t *testing.T) {
	for _, f := range narrows {
		v := f.ladder()
		for k := range len(v) - 1 {
			lo, hi := uint64(k), uint64(k+1)
			even := lo + lo%2
			mid := v[k] + (v[k+1]-v[k])/2
			is := func(what string, x float64, got, want uint64) {
				if got != want {
					t.Errorf("%s: %v, %s between %v and %v, is %#x, want %#x", f.name, x, what, v[k], v[k+1], got, want)
				}
			}
			for _, s := range []float64{1, -1} {
				sign := uint64(0)
				if s < 0 {
					sign = f.sign()
				}
				below, above := math.Nextafter(mid, 0), math.Nextafter(mid, math.Inf(1))
				is("the midpoint", s*mid, f.to64(s*mid), sign|even)
				is("just below the midpoint", s*below, f.to64(s*below), sign|lo)
				is("just above the midpoint", s*above, f.to64(s*above), sign|hi)
				m := float32(mid)
				if float64(m) != mid {
					t.Errorf("%s: midpoint %v is not a float32", f.name, mid)
				}
				b, a := math.Nextafter32(m, 0), math.Nextafter32(m, float32(math.Inf(1)))
				is("the midpoint", s*mid, f.to32(float32(s)*m), sign|even)
				is("just below the midpoint", s*float64(b), f.to32(float32(s)*b), sign|lo)
				is("just above the midpoint", s*float64(a), f.to32(float32(s)*a), sign|hi)
			}
		}
	}
}

// TestRange: zeros, the ends of the float types, overflow and saturation.
func TestRange(t *testing.T) {
	inf := math.Inf(1)
	for _, f := range narrows {
		v := f.ladder()
		top := uint64(len(v) - 1) // infinity, or E4M3's NaN
		threshold := f.largest + (v[top]-f.largest)/2
		for _, c := range []struct {
			x         float64
			want, sat uint64
		}{
			{0, 0, 0},
			{math.SmallestNonzeroFloat64, 0, 0},
			{math.SmallestNonzeroFloat32, 0, 0},
			{0x1p-1022, 0, 0},
			{f.largest, top - 1, top - 1},
			{math.Nextafter(threshold, 0), top - 1, top - 1},
			{threshold, top - 1 + (top-1)%2, top - 1},
			{math.Nextafter(threshold, inf), top, top - 1},
			{v[top], top, top - 1},
			{2 * f.largest, top, top - 1},
			{math.MaxFloat64, top, top - 1},
			{inf, top, top - 1},
		} {
			if got := f.to64(c.x); got != c.want {
				t.Errorf("%s: %v is %#x, want %#x", f.name, c.x, got, c.want)
			}
			if got := f.to64(-c.x); c.x != 0 && got != c.want|f.sign() {
				t.Errorf("%s: %v is %#x, want %#x", f.name, -c.x, got, c.want|f.sign())
			}
			if f.sat64 == nil {
				continue
			}
			x32 := float32(c.x)
			if got, got32 := f.sat64(c.x), f.sat32(x32); got != c.sat || got32 != c.sat {
				t.Errorf("%s: %v saturates to %#x, %#x from float32, want %#x", f.name, c.x, got, got32, c.sat)
			}
			if got, got32 := f.sat64(-c.x), f.sat32(-x32); c.x != 0 && (got != c.sat|f.sign() || got32 != c.sat|f.sign()) {
				t.Errorf("%s: %v saturates to %#x, %#x from float32, want %#x", f.name, -c.x, got, got32, c.sat|f.sign())
			}
		}
		negzero := math.Copysign(0, -1)
		if got, got32 := f.to64(negzero), f.to32(float32(negzero)); got != f.sign() || got32 != f.sign() {
			t.Errorf("%s: -0 is %#x, %#x from float32", f.name, got, got32)
		}
		for _, to := range []func(float64) uint64{f.to64, f.sat64} {
			if to != nil && f.value(to(math.NaN())) == f.value(to(math.NaN())) {
				t.Errorf("%s: NaN is %#x", f.name, to(math.NaN()))
			}
		}
		// A NaN whose payload does not fit stays one.
		if got := f.to64(math.Float64frombits(0x7ff0000000000001)); f.value(got) == f.value(got) {
			t.Errorf("%s: the NaN with the least payload is %#x", f.name, got)
		}
		if got := f.to32(math.Float32frombits(0x7f800001)); f.value(got) == f.value(got) {
			t.Errorf("%s: the float32 NaN with the least payload is %#x", f.name, got)
		}
	}
}

// TestFloat64 rounds random float64 numbers around the range of each format.
func TestFloat64(t *testing.T) {
	r := rand.New(level.PCG(1, 2))
	for _, f := range narrows {
		v := f.ladder()
		for range 200000 {
			k := r.IntN(len(v) - 1)
			x := v[k] + r.Float64()*(v[k+1]-v[k])
			c := climb{v, k}
			if got, want := f.to64(x), c.code(x); got != want {
				t.Fatalf("%s: %v is %#x, want %#x", f.name, x, got, want)
			}
		}
	}
}

// TestFloat32 rounds float32 numbers of both signs: all 2^32 in a long run, else every 4099th.
func TestFloat32(t *testing.T) {
	step := level.Of[uint64](40_993, 4099, 1)
	const end, part = 0x7f800001, 1 << 25
	work := make(chan func())
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for f := range work {
				f()
			}
		})
	}
	for _, f := range narrows {
		v := f.ladder()
		for from := uint64(0); from < end; from += part {
			work <- func() {
				c := climb{v, 0}
				for b := from; b < min(from+part, end); b += step {
					x := math.Float32frombits(uint32(b))
					want := c.code(float64(x))
					if got := f.to32(x); got != want {
						t.Errorf("%s: %v is %#x, want %#x", f.name, x, got, want)
						return
					}
					if got := f.to32(-x); got != want|f.sign() {
						t.Errorf("%s: %v is %#x, want %#x", f.name, -x, got, want|f.sign())
						return
					}
				}
			}
		}
		work <- func() {
			for b := uint64(end); b < 1<<31; b += step {
				for _, s := range []uint64{0, 1 << 31} {
					if got := f.to32(math.Float32frombits(uint32(b | s))); f.value(got) == f.value(got) {
						t.Errorf("%s: NaN %#x is %#x", f.name, b|s, got)
						return
					}
				}
			}
		}
	}
	close(work)
	wg.Wait()
}

func BenchmarkConvert(b *testing.B) {
	x := make([]float32, 4096)
	for i := range x {
		x[i] = float32(i-2048) / 64
	}
	for _, f := range narrows {
		b.Run("to="+f.name, func(b *testing.B) {
			b.SetBytes(int64(4 * len(x)))
			for range b.N {
				switch f.typ {
				case TypeF16:
					convert(x, ToF16[float32])
				case TypeBF16:
					convert(x, ToBF16[float32])
				case TypeF8E4M3:
					convert(x, ToF8E4M3[float32])
				case TypeF8E5M2:
					convert(x, ToF8E5M2[float32])
				}
			}
		})
	}
}

func convert[T Elem](x []float32, f func(float32) T) T {
	var last T
	for _, v := range x {
		last = f(v)
	}
	return last
}

func Example() {
	x := ToBF16(3.14159)
	fmt.Println(x, x.Float32() == 3.140625, ToF8E4M3(500.0), ToF8E4M3Sat(500.0))
	// Output: 3.140625 true NaN 448
}

// TestToBF16: the short way from float32 gives the bits of the way through float64.
func TestToBF16(t *testing.T) {
	same := func(b uint32) {
		x := math.Float32frombits(b)
		if have, want := ToBF16(x), ToBF16(float64(x)); have != want {
			t.Fatalf("%x becomes %x, want %x", b, have.Bits(), want.Bits())
		}
	}
	for high := range uint32(1 << 16) { // every BF16, and its halfway point
		for _, low := range []uint32{0, 1, 0x7fff, 0x8000, 0x8001, 0xffff} {
			same(high<<16 | low)
		}
	}
}
