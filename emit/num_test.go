package emit

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// Every code of the small formats survives decoding and encoding, and every
// number between two neighbours goes to the nearer one, or to the even code.
func TestSmallFloats(t *testing.T) {
	for _, e := range []Elem{F16, BF16, F8E5M2, F8E4M3} {
		sign := uint64(1) << (e.Bits() - 1)
		for b := range sign {
			x := e.Decode(b)
			for _, s := range []uint64{0, sign} {
				y := e.Decode(b | s)
				if x != x {
					if z := e.Decode(e.Encode(y)); y == y || z == z || e.Encode(y)&sign != s {
						t.Errorf("%v: NaN %#x does not stay a NaN", e, b|s)
					}
					continue
				}
				if got := e.Encode(y); got != b|s {
					t.Errorf("%v: %#x means %g, which encodes as %#x", e, b|s, y, got)
				}
			}
			next := e.Decode(b + 1)
			if x != x || math.IsInf(x, 0) || b+1 == sign || next != next || math.IsInf(next, 0) {
				continue
			}
			mid, even := (x+next)/2, b+b&1
			for _, c := range []struct {
				x    float64
				want uint64
			}{{mid, even}, {math.Nextafter(mid, x), b}, {math.Nextafter(mid, next), b + 1}} {
				if got := e.Encode(-c.x); got != c.want|sign {
					t.Errorf("%v: %g encodes as %#x, want %#x", e, -c.x, got, c.want|sign)
				}
			}
		}
	}
	for _, c := range []struct {
		e    Elem
		x    float64
		want uint64
	}{
		{F16, 65504, 0x7bff}, {F16, 65519.99, 0x7bff}, {F16, 65520, 0x7c00}, {F16, math.Inf(-1), 0xfc00},
		{F16, 0x1p-24, 1}, {F16, 0x1p-25, 0}, {F16, 0x1.8p-25, 1}, {F16, 5e-324, 0},
		{BF16, 0x1.ffp127, 0x7f80}, {BF16, 0x1.fep127, 0x7f7f}, {BF16, 1, 0x3f80}, {BF16, 0x1p-133, 1},
		{F8E5M2, 57344, 0x7b}, {F8E5M2, 61440, 0x7c}, {F8E5M2, -math.MaxFloat64, 0xfc},
		{F8E4M3, 448, 0x7e}, {F8E4M3, 464, 0x7e}, {F8E4M3, 464.001, 0x7f}, {F8E4M3, math.Inf(-1), 0xff},
		{F8E4M3, 0x1p-9, 1}, {F8E4M3, 1, 0x38},
	} {
		if got := c.e.Encode(c.x); got != c.want {
			t.Errorf("%v: %g encodes as %#x, want %#x", c.e, c.x, got, c.want)
		}
	}
}

// hard returns a float32 whose significand has long runs of zeros and ones, so
// that sums land on or just beside the middle between two numbers.
func hard(r *rand.Rand) float32 {
	m := uint32(1)<<r.UintN(24) + uint32(1)<<r.UintN(24) - r.Uint32N(2)
	exp := 100 + r.Uint32N(60)
	if r.IntN(8) == 0 {
		exp = r.Uint32N(255)
	}
	return math.Float32frombits(r.Uint32N(2)<<31 | exp<<23 | m&(1<<23-1))
}

func TestFusedMultiplyAdd(t *testing.T) {
	r := rand.New(level.PCG(1, 2))
	exact := func(x, y, z float64) *big.Float {
		p := new(big.Float).SetPrec(2000).Mul(big.NewFloat(x), big.NewFloat(y))
		return p.Add(p, big.NewFloat(z))
	}
	twice := 0 // cases in which rounding to f64 first goes wrong
	for range 400_000 {
		x, y, z := hard(r), hard(r), hard(r)
		sum := exact(float64(x), float64(y), float64(z))
		want, _ := sum.Float32()
		got := math.Float32frombits(uint32(fma32(uint64(math.Float32bits(x)), uint64(math.Float32bits(y)), uint64(math.Float32bits(z)))))
		if got != want {
			t.Fatalf("%x * %x + %x = %x, want %x", x, y, z, got, want)
		}
		if float32(math.FMA(float64(x), float64(y), float64(z))) != want {
			twice++
		}
	}
	if twice == 0 {
		t.Error("no case was hard: the test tests nothing")
	}
	// bf16 has f32's range with 8 bits: a distant addend decides a tie.
	twice = 0
	for range 200_000 {
		x, y, z := roundTo(BF16, float64(hard(r))), roundTo(BF16, float64(hard(r))), roundTo(BF16, float64(hard(r)))
		sum := exact(x, y, z)
		if a, _ := new(big.Float).Abs(sum).Float64(); a < 0x1p-126 || a > 0x1.fep127 {
			continue
		}
		want, _ := new(big.Float).SetPrec(8).Set(sum).Float64()
		if got := BF16.Decode(BF16.MulAdd(BF16.Encode(x), BF16.Encode(y), BF16.Encode(z))); got != want {
			t.Fatalf("bf16: %x * %x + %x = %x, want %x", x, y, z, got, want)
		}
		if roundTo(BF16, math.FMA(x, y, z)) != want {
			twice++
		}
	}
	if twice == 0 {
		t.Error("bf16: no case was hard")
	}
	inf, one := math.Float32bits(float32(math.Inf(1))), math.Float32bits(1)
	if got := fma32(uint64(inf), uint64(one), uint64(one)); got != uint64(inf) {
		t.Errorf("Inf*1 + 1 = %#x", got)
	}
	if got := math.Float32frombits(uint32(fma32(uint64(inf), 0, uint64(one)))); got == got {
		t.Errorf("Inf*0 + 1 = %g", got)
	}
}

func TestFloatOpIsFloat32(t *testing.T) {
	r := rand.New(level.PCG(3, 4))
	at := func(name string, x, y float32) float32 {
		return math.Float32frombits(uint32(ops[name].Lane(F32, &Attr{}, []uint64{uint64(math.Float32bits(x)), uint64(math.Float32bits(y))})))
	}
	for range 200_000 {
		x, y := hard(r), hard(r)
		for _, c := range []struct {
			name string
			want float32
		}{{"add", x + y}, {"sub", x - y}, {"mul", x * y}, {"div", x / y}} {
			if got := at(c.name, x, y); got != c.want && (got == got || c.want == c.want) {
				t.Fatalf("%x %s %x = %x, want %x", x, c.name, y, got, c.want)
			}
		}
	}
}

func TestCompare(t *testing.T) {
	nan := math.Float64bits(math.NaN())
	for _, c := range []struct {
		e    Elem
		pred string
		x, y uint64
		want uint64
	}{
		{I8, "lt", 0xff, 1, 1}, {I8, "gt", 0x7f, 0x80, 1}, {I64, "ge", ^uint64(0), 0, 0}, {I32, "le", 5, 5, 1},
		{F64, "ne", nan, nan, 1}, {F64, "eq", nan, nan, 0}, {F64, "ge", nan, 0, 0}, {F64, "gt", nan, 0, 0}, {F64, "le", nan, 0, 0},
		{F64, "eq", 0, 1 << 63, 1}, {F32, "lt", 0xbf800000, 0, 1}, {I1, "ne", 1, 0, 1},
	} {
		if got := compare(c.e, c.pred, c.x, c.y); got != c.want {
			t.Errorf("%v: %#x %s %#x = %d", c.e, c.x, c.pred, c.y, got)
		}
	}
}
