package emit

import "math"

// The arithmetic of the op table. Lanes are bit patterns, and every operation rounds
// once, to nearest, ties to even, whatever the width of the type.

// small describes a floating-point format that Go does not have.
type small struct {
	man, bias int
	inf       uint64 // the code of infinity; for E4M3, which has none, of NaN
	hasInf    bool
}

// F16 and BF16 follow IEEE 754. E5M2 and E4M3 are the formats of the OCP 8-bit
// Floating Point Specification 1.0. E5M2 is IEEE-like. E4M3 gives up infinities for one
// more binade and has a single NaN, S.1111.111. Conversion out of range does not
// saturate here: it gives infinity, or NaN in E4M3, that specification's non-saturating
// mode. An instruction that saturates (PTX .satfinite) clamps first.
var smalls = [...]small{
	F16:    {man: 10, bias: 15, inf: 0x7c00, hasInf: true},
	BF16:   {man: 7, bias: 127, inf: 0x7f80, hasInf: true},
	F8E5M2: {man: 2, bias: 15, inf: 0x7c, hasInf: true},
	F8E4M3: {man: 3, bias: 7, inf: 0x7f},
}

// Decode returns the number that the low bits of b mean in e, which must be a
// floating-point type. Every value of every type is a float64.
func (e Elem) Decode(b uint64) float64 {
	switch e {
	case F64:
		return math.Float64frombits(b)
	case F32:
		return float64(math.Float32frombits(uint32(b)))
	}
	f := smalls[e]
	sign := b >> (e.Bits() - 1) & 1
	b &= 1<<(e.Bits()-1) - 1
	var x float64
	switch frac := b & (1<<f.man - 1); {
	case b == f.inf && f.hasInf:
		x = math.Inf(1)
	case b >= f.inf:
		// The payload keeps its place below the quiet bit, as in hardware conversions.
		x = math.Float64frombits(0x7ff8<<48 | frac<<(52-f.man))
	case b>>f.man == 0:
		x = math.Ldexp(float64(frac), 1-f.bias-f.man)
	default:
		x = math.Ldexp(float64(1<<f.man|frac), int(b>>f.man)-f.bias-f.man)
	}
	return math.Float64frombits(math.Float64bits(x) | sign<<63)
}

// Encode returns the bit pattern of x rounded to e, to nearest, ties to even.
func (e Elem) Encode(x float64) uint64 {
	switch e {
	case F64:
		return math.Float64bits(x)
	case F32:
		return uint64(math.Float32bits(float32(x)))
	}
	f := smalls[e]
	b := math.Float64bits(x)
	sign := b >> 63 << (e.Bits() - 1)
	if x != x {
		if !f.hasInf {
			return sign | f.inf
		}
		return sign | f.inf | 1<<(f.man-1) | b&(1<<52-1)>>(52-f.man)
	}
	// M * 2^-drop is the significand in units of the result's last place. Adding the
	// biased exponent above it lets a carry of the rounding run into it.
	exp := int(b>>52&0x7ff) - 1023 + f.bias
	m := b&(1<<52-1) | 1<<52
	drop := 52 - f.man
	if exp < 1 {
		drop += 1 - exp
		exp = 1
	}
	if drop > 54 { // below half of the smallest subnormal, or zero
		return sign
	}
	r := m >> drop
	if rest, half := m&(1<<drop-1), uint64(1)<<(drop-1); rest > half || rest == half && r&1 == 1 {
		r++
	}
	code := uint64(exp-1)<<f.man + r
	return sign | min(code, f.inf) // past the largest finite number: infinity or NaN
}

// roundTo returns x rounded to e.
func roundTo(e Elem, x float64) float64 { return e.Decode(e.Encode(x)) }

// floatOp computes f in float64 and rounds the result to e. For a format of p
// bits the sum, difference, product, quotient and square root come out as if
// rounded once if the wider format has at least 2p+2 bits (Figueroa, "When is double
// rounding innocuous?", 1995). 53 >= 2*24+2 holds for F32 and all below. It does not
// hold for a fused multiply-add, which is why [fma] exists.
func floatOp(e Elem, x []uint64, f func(v []float64) float64) uint64 {
	v := make([]float64, len(x))
	for i := range x {
		v[i] = e.Decode(x[i])
	}
	return e.Encode(f(v))
}

// fma32 returns x*y + z in F32, rounded once.
func fma32(x, y, z uint64) uint64 {
	s := fmaOdd(float64(math.Float32frombits(uint32(x))), float64(math.Float32frombits(uint32(y))), float64(math.Float32frombits(uint32(z))))
	return uint64(math.Float32bits(float32(s)))
}

// MulAdd returns x*y + z of numbers of e, rounded once: what machine instructions that fuse
// them compute.
func (e Elem) MulAdd(x, y, z uint64) uint64 {
	switch e {
	case F64:
		return math.Float64bits(math.FMA(math.Float64frombits(x), math.Float64frombits(y), math.Float64frombits(z)))
	case F32:
		return fma32(x, y, z)
	}
	return e.Encode(fmaOdd(e.Decode(x), e.Decode(y), e.Decode(z)))
}

// fmaOdd returns x*y + z rounded to odd: an inexact result takes the neighbour
// whose last bit is set. That bit then remembers that something lies below. Rounding
// once more, to 51 bits or fewer, then rounds the exact sum (Boldo and Melquiond,
// "Emulation of FMA and correctly rounded sums", 2008). The operands have at most 24
// bits, so their product is exact.
func fmaOdd(x, y, z float64) float64 {
	p := float64(x * y) // the conversion forbids the compiler to fuse
	s := p + z
	if s == 0 || math.IsInf(s, 0) || s != s {
		return s
	}
	// The error of the sum, exactly (Knuth's TwoSum).
	d := s - p
	err := (p - (s - d)) + (z - d)
	b := math.Float64bits(s)
	if err == 0 || b&1 == 1 {
		return s
	}
	if err > 0 == (s > 0) {
		return math.Float64frombits(b + 1)
	}
	return math.Float64frombits(b - 1)
}

// MulAddFlush returns x*y + z as dot products of bf16 compute each of their steps. It
// rounds once, to nearest even. Denormal operands count as zeros, and a result below the
// least normal number is flushed to zero; both keep their sign. The flush looks at the
// result rounded as if there were smaller normal numbers.
func MulAddFlush(x, y, z float32) float32 {
	flush := func(x float32) float64 {
		if max(x, -x) < 0x1p-126 {
			return math.Copysign(0, float64(x))
		}
		return float64(x)
	}
	s := fmaOdd(flush(x), flush(y), flush(z))
	const up = 0x1p100 // s is no less than the product of two normal numbers, unless it is 0
	if tiny := float32(s * up); max(tiny, -tiny) < 0x1p-126*up {
		return float32(math.Copysign(0, s))
	}
	return float32(s)
}

// truncate keeps the bits of e.
func truncate(e Elem, bits uint64) uint64 {
	if n := e.Bits(); n < 64 {
		return bits & (1<<n - 1)
	}
	return bits
}

// signed reads the bits of an integer type as a two's complement number.
func signed(e Elem, bits uint64) int64 {
	n := 64 - e.Bits()
	return int64(bits<<n) >> n
}

// compare returns 1 if pred holds for x and y. It is signed for integers, IEEE 754 for
// floats (only ne holds for a NaN), and false below true for I1.
func compare(e Elem, pred string, x, y uint64) uint64 {
	var lt, eq bool
	unordered := false
	switch {
	case e.Float():
		a, b := e.Decode(x), e.Decode(y)
		lt, eq = a < b, a == b
		unordered = a != a || b != b
	case e.Int():
		lt, eq = signed(e, x) < signed(e, y), x == y
	default:
		lt, eq = x < y, x == y
	}
	var r bool
	switch pred {
	case "eq":
		r = eq
	case "ne":
		r = !eq
	case "lt":
		r = lt
	case "le":
		r = lt || eq
	case "gt":
		r = !lt && !eq && !unordered
	case "ge":
		r = !lt && !unordered
	}
	if r {
		return 1
	}
	return 0
}
