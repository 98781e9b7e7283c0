package vmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// The functions of two operands that are not exact, in math/big and in tests.

var bigPairs = map[string]func(x, y *big.Float) *big.Float{
	"math.Pow": func(x, y *big.Float) *big.Float { // of finite numbers other than 0
		v := bigExp(zero().Mul(y, bigLog(zero().Abs(x))))
		if i, exact := y.Int(nil); x.Sign() < 0 && exact == big.Exact && i.Bit(0) == 1 {
			v.Neg(v)
		}
		return v
	},
	"math.Atan2": func(y, x *big.Float) *big.Float {
		v := bigAtan(zero().Quo(zero().Abs(y), zero().Abs(x)))
		if x.Sign() < 0 {
			v.Sub(bigPi(), v)
		}
		if y.Sign() < 0 {
			v.Neg(v)
		}
		return v
	},
	"math.Hypot": func(x, y *big.Float) *big.Float {
		sq := new(big.Float).SetPrec(6000).Mul(x, x)
		return zero().Sqrt(sq.Add(sq, new(big.Float).SetPrec(6000).Mul(y, y)))
	},
}

// exactPair returns f of x and y, correctly rounded.
func exactPair(f *Func, x, y float64) float64 {
	r := f.Ref(x, y)
	for _, v := range []float64{x, y} {
		if r != r || v-v != 0 || v == 0 {
			return r
		}
	}
	if f.Name == "math.Pow" && math.Abs(y*math.Log2(math.Abs(x))) > 1200 {
		return r
	}
	v, _ := bigPairs[f.Name](num(x), num(y)).Float64()
	return v
}

// pairs returns operands for f: special ones, in all pairs, and n at random, most of
// them where f has a number that is neither 0 nor infinite.
func pairs(f *Func, e float64, n int) (x, y []float64) {
	some := []float64{0, 1, 2, 3, 0.5, 1.5, 2.5, math.Inf(1), math.NaN(), 5, 1 << 23, 1<<24 - 1, 1 << 24, 1<<53 - 1, 1 << 53, 1 + 0x1p-23, 1 + 0x1p-52, 1 - 0x1p-24,
		math.MaxFloat32, math.SmallestNonzeroFloat32, 0x1p-126, math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022, 1e30, 1e-30, 1e300, 1e-300, 1e160, 1e-170}
	for _, a := range some {
		for _, b := range some {
			x, y = append(x, a, -a, a, -a), append(y, b, b, -b, -b)
		}
	}
	r := rand.New(level.PCG(8, uint64(e)))
	number := func(size float64) float64 {
		v := math.Ldexp(1+r.Float64(), r.IntN(int(2*size)+1)-int(size))
		if r.IntN(2) == 0 {
			v = -v
		}
		return v
	}
	for i := range n {
		var a, b float64
		switch {
		case f.Name != "math.Pow":
			a = number([]float64{2, 20, e}[i%3])
			b = a * number([]float64{1, 8, 30}[i/3%3])
		case i%8 == 0: // an integer
			a = number(8)
			b = float64(r.IntN(80) - 40)
		case i%8 == 1: // near 1
			a = 1 + number(3)*math.Ldexp(1, -r.IntN(int(e)/5+2)-4)
			b = (2*r.Float64() - 1) * e / math.Log2(math.Abs(a))
		case i%8 == 2:
			a, b = number(e), number(e)
		default: // the result is of any size
			a = math.Abs(number(e))
			b = (2*r.Float64() - 1) * e * 1.2 / math.Log2(a)
		}
		x, y = append(x, a), append(y, b)
	}
	return x, y
}

// TestPairsRandom compares functions of two operands with package math in f32, and in f64
// with math/big wherever package math differs. TestRecord has 2^28 pairs of f32.
func TestPairsRandom(t *testing.T) {
	for name := range bigPairs {
		f := Lookup(name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := fewer(10_000)
			x, y := pairs(f, 126, n)
			checkPairs(t, f, f.F32ULP, x, y, pair32[name], func(x, y float32) float32 { return float32(f.Ref(float64(x), float64(y))) })
			x, y = pairs(f, 1022, n)
			checkPairs(t, f, f.F64ULP, x, y, pair64[name], func(x, y float64) float64 {
				if want := f.Ref(x, y); distance(want, pair64[name](x, y)) == 0 {
					return want
				}
				return exactPair(f, x, y)
			})
		})
	}
}

func checkPairs[T float32 | float64](t *testing.T, f *Func, bound float64, x, y []float64, fn, ref func(x, y T) T) {
	t.Helper()
	u, v := make([]T, len(x)), make([]T, len(x))
	for i := range x {
		u[i], v[i] = T(x[i]), T(y[i])
	}
	const some = 1 << 10
	for i, z := range run(t, f, u[:some], v[:some]) {
		if want := fn(u[i], v[i]); distance(z, want) != 0 {
			t.Fatalf("%s(%x, %x): the interpreter gives %x, the transcription %x", f.Name, u[i], v[i], z, want)
		}
	}
	most, at := 0.0, 0
	for i := range u {
		have, want := fn(u[i], v[i]), ref(u[i], v[i])
		d := distance(have, want)
		if d > bound {
			t.Errorf("%s(%x, %x) = %x, want %x: %v ulp, and %v are allowed", f.Name, u[i], v[i], have, want, d, bound)
			return
		}
		if d > most {
			most, at = d, i
		}
	}
	t.Logf("%T: at most %v ulp, first at %x, %x", u[at], most, u[at], v[at])
}

// TestMod: exact on numbers just beside multiples, with quotients of all sizes.
func TestMod(t *testing.T) {
	r := rand.New(level.PCG(10, 11))
	var x32, y32 []float32
	var x64, y64 []float64
	for i := range level.Of(1<<11, 1<<13, 1<<14) {
		y := math.Ldexp(1+r.Float64(), r.IntN(60)-30)
		x := math.Ldexp(1+r.Float64(), r.IntN(25)-1) * y
		if i%2 == 0 {
			x = math.Trunc(x/y) * y
		}
		y32, x32 = append(y32, float32(y)), append(x32, math.Nextafter32(float32(x), float32(i%3-1)*1e38))
		y64, x64 = append(y64, y), append(x64, -math.Nextafter(x, float64(i%3-1)*1e38))
	}
	f := Lookup("math.Mod")
	checkAll(t, f, [][]float32{x32, y32})
	checkAll(t, f, [][]float64{x64, y64})
}
