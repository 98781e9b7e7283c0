package ptx_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/emit/vmath"
	"github.com/tilesmith/tilesmith/internal/level"
)

// Quotients that are promised to be far from the ends are those of the interpreter, and no div is printed.
func TestDivNear(t *testing.T) {
	d, s := device(t)
	r := rand.New(level.PCG(3, 4))
	for _, c := range []struct {
		name  string
		ends  int // magnitudes of b are below 2^ends
		build func(b *emit.Builder, x ...*emit.Value) *emit.Value
		lines int // fma and mul
	}{
		{"quotient", 60, func(b *emit.Builder, x ...*emit.Value) *emit.Value { return b.DivNear(x[0], x[1]) }, 5},
		{"reciprocal", 126, func(b *emit.Builder, x ...*emit.Value) *emit.Value {
			return b.DivNear(b.Const(x[1].Type, 1), x[1])
		}, 2},
		{"of two", 60, func(b *emit.Builder, x ...*emit.Value) *emit.Value {
			return b.DivNear(b.Const(x[1].Type, 2), x[1])
		}, 5},
	} {
		fn := elementwise(t, &vmath.Func{Name: strings.ReplaceAll(c.name, " ", "_"), Args: 2, Build: c.build}, emit.F32)
		text := print(t, ptx.SM80, fn).Text
		if n := strings.Count(text, "fma.rn.f32") + strings.Count(text, "mul.rn.f32"); n != c.lines || strings.Contains(text, "div.rn.f32") {
			t.Errorf("%s: %d multiplications, want %d, and no div\n%s", c.name, n, c.lines, text)
		}
		args := [][]byte{nil, nil, make([]byte, 4*elements)}
		for i := range elements {
			for k, ends := range []int{60, c.ends} {
				x := math.Ldexp(1+r.Float64(), r.IntN(2*ends)-ends)
				switch {
				case i < 2*ends:
					x = math.Ldexp(1, i-ends)
				case i < 4*ends:
					x = float64(math.Nextafter32(float32(math.Ldexp(1, i-3*ends)), 2))
				case i == elements-1:
					x = math.NaN()
				}
				if r.IntN(2) == 0 {
					x = -x
				}
				args[k] = binary.LittleEndian.AppendUint32(args[k], math.Float32bits(float32(x)))
			}
		}
		want, got := elementsOf(t, d, s, fn, args, 4*elements)
		for at := 0; at < len(want); at += 4 {
			if !sameNumbers(emit.F32, want[at:at+4], got[at:at+4]) {
				t.Fatalf("%s of %x and %x: interpreter %x, emulator %x", c.name, args[0][at:at+4], args[1][at:at+4], want[at:at+4], got[at:at+4])
			}
		}
	}
}

// fma32 rounds x*y + z once: the product is exact in double precision, and a sum that is not is made odd.
func fma32(x, y, z float32) float32 {
	p := float64(x) * float64(y)
	s := p + float64(z)
	t := s - p
	if left := (p - (s - t)) + (float64(z) - t); left != 0 && math.Float64bits(s)&1 == 0 {
		s = math.Nextafter(s, math.Copysign(math.Inf(1), left))
	}
	return float32(s)
}

// quotientBy is what divNear prints, from an approximate reciprocal on.
func quotientBy(x, y, r float32) float32 {
	better := fma32(r, fma32(-y, r, 1), r)
	q := x * better
	return fma32(fma32(-y, q, x), better, q)
}

// The two programs give the nearest number, for every significand of a divisor and many pairs, from
// the nearest reciprocal, and the quotient also from its neighbours: an instruction is allowed to give those.
func TestNearestQuotients(t *testing.T) {
	step := level.Of[uint32](997, 131, 1)
	for m := uint32(0); m < 1<<23; m += step {
		y := math.Float32frombits(1<<23*127 + m)
		if r := 1 / y; fma32(r, fma32(-y, r, 1), r) != r {
			t.Fatalf("1/%x is not %x", y, r)
		}
	}
	n := level.Of(100_000, 700_000, 100_000_000)
	r := rand.New(level.PCG(5, 6))
	corner := []uint32{0, 1, 2, 1 << 22, 1<<23 - 2, 1<<23 - 1}
	number := func(i int) float32 {
		m := r.Uint32N(1 << 23)
		if i%4 == 0 {
			m = corner[r.IntN(len(corner))]
		}
		return math.Float32frombits(uint32(127-60+r.IntN(120))<<23 + m)
	}
	for i := range n {
		x, y := number(i), number(i/4)
		near := 1 / y
		for _, by := range []float32{near, math.Nextafter32(near, 0), math.Nextafter32(near, 2*near)} {
			if q := quotientBy(x, y, by); q != x/y && (by == near || math.Float32bits(y)&(1<<23-1) != 1<<23-1) {
				t.Fatalf("%x / %x is %x by %x, want %x", x, y, q, by, x/y)
			}
		}
	}
}
