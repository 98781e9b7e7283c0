package vmath

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// twoOverPi are the bits of 2/pi * 2^-(man+2) behind the point, in words of a lane:
// as many as the largest number needs.
var twoOverPi = map[int64][]uint64{
	32: {0x51, 0x7cc1b727, 0x220a94fe, 0x13abe8fa, 0x9a6ee06d, 0xb14acc9e, 0x21c820ff},
	64: {0x28b, 0xe60db9391054a7f0, 0x9d5f47d4d377036d, 0x8a5664f10e4107f9, 0x458eaf7aef1586dc, 0x91b8e909374b8019, 0x24bba827464873f8,
		0x77ac72c4a69cfba2, 0x08d7d4baed1213a6, 0x71c09ad17df904e6, 0x4758e60d4ce7d272, 0x117e2ef7e4a0ec7f, 0xe25fff7816603fbc,
		0xbc462d6829b47db4, 0xd9fb3c9f2c26dd3d, 0x18fd9a797fa8b5d4, 0x9eeb1faf97c5ecf4, 0x1ce7de294a4ba9af, 0xed7ec47e35742158},
}

// piHalf is pi/2.
func (k *kit) piHalf() double {
	return k.parts(0x1.921fb6p+0, -0x1.777a5cp-25, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54)
}

// quadrant reduces a number a >= 0, however large: a = q*pi/2 + r with
// |r| <= pi/4, a trifle more. The low bits of q are those of an integer; r is right
// to about twice the precision of its type. For infinities and NaN the results are of
// no use.
//
// It is the reduction of Payne and Hanek (Radian reduction for trigonometric
// functions, SIGNUM Newsletter 18, 1983) for all lanes at once. Let a = m*2^e with m an
// integer of one significand. Only some bits of 2/pi matter: those whose product with a
// is neither a multiple of 4 nor below 2^-120 (2^-60 in f32). The multiple of pi/2
// nearest to a number is at least 2^-62 (2^-31) away. These bits are three words from
// bit e on. The words are chosen by the upper bits of e and shifted by the lower ones.
// So the bits of a stand at one place for all exponents, and most of the sums below are
// exact by position.
//
// One way for all numbers: a shorter one for small ones would be taken in addition,
// not instead, by the lanes of a vector.
func (k *kit) quadrant(a *emit.Value) (q *emit.Value, r double) {
	b := k.b
	one := k.bias << k.man
	field := b.IMax(b.And(k.toInt(a), k.n(1<<(k.bits-1)-1<<k.man)), k.n(one)) // below 1 as at 1: then m < 2^man
	m := b.Mul(a, k.toFloat(b.Sub(k.n((2*k.bias+k.man)<<k.man), field)))
	d := k.digits(b.Sub(field, k.n(one)))

	// In turns: the integer part of m*d0 goes. The rest is exact, as it is less than 1 and
	// a multiple of d0's last place. From here on in quadrants.
	turns := b.Round("rne", b.Mul(m, d[0]))
	r0 := b.Mul(b.FMA(b.NegF(turns), m, d[0]), k.c(4))
	p1 := k.twoProd(m, d[1])
	t, n := k.near(p1.hi, 1)
	part := b.Sub(p1.hi, n)
	q = k.toInt(t)
	t, n = k.near(b.Add(r0, part), 1)
	q = b.Add(q, k.toInt(t))
	f := k.twoSum(b.Sub(r0, n), part)
	p2 := k.twoProd(m, d[2])
	u := k.twoSum(p1.lo, p2.hi)
	g := k.twoSum(f.hi, u.hi)
	lo := b.Add(g.lo, b.Add(f.lo, b.Add(u.lo, b.FMA(p2.lo, m, d[3]))))

	half := k.piHalf()
	r.hi = b.Mul(g.hi, half.hi)
	r.lo = b.FMA(b.FMA(b.FMA(b.NegF(r.hi), g.hi, half.hi), g.hi, half.lo), lo, half.hi)
	// Below 3/4 it is a itself, whose last bits the product with 2/pi may have lost.
	small := b.Cmp("lt", a, k.c(0.75))
	return q, double{b.Select(small, a, r.hi), b.Select(small, k.c(0), r.lo)}
}

// digits returns 2/pi * 2^(e-man) modulo 4 as the sum of four numbers of man bits
// each. The first is a part of a turn, the others are in quadrants. exp is e at the
// place of the exponent.
func (k *kit) digits(exp *emit.Value) [4]*emit.Value {
	b := k.b
	w := k.window(exp)
	left := b.And(b.Shr(exp, k.n(k.man)), k.n(k.bits-1))
	right := b.Xor(left, k.n(k.bits-1)) // bits-1 - left; the other bit is shifted before
	for i := range 3 {
		w[i] = b.Or(b.Shl(w[i], left), b.Shr(b.Shr(w[i+1], k.n(1)), right))
	}
	drop := k.n(k.bits - k.man)
	cut := func(x, y *emit.Value, from int64) *emit.Value { // man bits of x and y from a bit of x on
		return b.Shr(b.Or(b.Shl(x, k.n(from)), b.Shr(y, k.n(k.bits-from))), drop)
	}
	digit := func(bits *emit.Value, e int64) *emit.Value { // bits * 2^(e-man)
		base := (k.bias + e) << k.man
		return b.Sub(k.toFloat(b.Or(bits, k.n(base))), k.c(math.Ldexp(1, int(e))))
	}
	return [4]*emit.Value{
		digit(b.Shr(w[0], drop), 0),
		digit(cut(w[0], w[1], k.man), 2-k.man),
		digit(cut(w[1], w[2], 2*k.man-k.bits), 2-2*k.man),
		digit(b.Shr(b.Shl(w[2], k.n(3*k.man-2*k.bits)), drop), 2-3*k.man),
	}
}

// window returns the four words of twoOverPi from bit e on, less the bits that are to
// be shifted out. First groups of words take the place of those before them, then the
// rest is halved. Few are alive at a time, as AVX2 has 16 registers.
func (k *kit) window(exp *emit.Value) []*emit.Value {
	b := k.b
	words := twoOverPi[k.bits]
	group := 2 // of 7
	if k.bits == 64 {
		group = 4 // of 19
	}
	w := make([]*emit.Value, group+3)
	for i := range w {
		w[i] = k.n(int64(words[i]))
	}
	for first := group; first+len(w) <= len(words); first += group {
		past := b.Cmp("gt", exp, k.n(int64(first)*k.bits<<k.man-1))
		for i := range w {
			w[i] = b.Select(past, k.n(int64(words[first+i])), w[i])
		}
	}
	for skip := group / 2; skip > 0; skip /= 2 {
		stay := b.Cmp("eq", b.And(exp, k.n(int64(skip)*k.bits<<k.man)), k.n(0))
		for i := range w[:skip+3] {
			w[i] = b.Select(stay, w[i], w[i+skip])
		}
	}
	return w
}
