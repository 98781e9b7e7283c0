package dtype

import (
	"math"
	"strconv"
)

// format describes a floating-point type of at most 16 bits: one sign bit,
// exponent and man fraction bits. Conversion goes through float64, which holds
// every value of these types and of float32 exactly. So there is one rounding whichever
// type the number comes from.
type format struct {
	sign  uint64 // the sign bit
	man   int    // fraction bits
	bias  int    // of the exponent
	top   uint64 // the code next after the largest finite number: of infinity, or of E4M3's NaN
	quiet uint64 // what makes a NaN of top
	over  uint64 // the bits of a power of two, as a float64, that is out of range
}

var (
	f16  = format{1 << 15, 10, 15, 0x7c00, 1 << 9, (1023 + 16) << 52}
	bf16 = format{1 << 15, 7, 127, 0x7f80, 1 << 6, (1023 + 128) << 52}
	e4m3 = format{1 << 7, 3, 7, 0x7f, 0, (1023 + 9) << 52}
	e5m2 = format{1 << 7, 2, 15, 0x7c, 1 << 1, (1023 + 16) << 52}
)

// encode returns the code of x, rounded to nearest, ties to even.
func (f *format) encode(x float64) uint64 {
	const inf = 0x7ff << 52
	b := math.Float64bits(x)
	sign, abs := b>>63*f.sign, b&^(1<<63)
	if abs >= f.over {
		if abs <= inf {
			return sign | f.top
		}
		// The payload keeps its place below the quiet bit.
		return sign | f.top | f.quiet | (abs-inf)>>(52-f.man)
	}
	// Adding the power of two whose last place is the result's rounds |x| to that
	// place, once. It leaves the result in the low bits, counted in last places. The last
	// place of a subnormal is that of the smallest binade.
	least := uint64(1024 - f.bias)
	exp := max(abs>>52, least)
	shift := math.Float64frombits((exp + 52 - uint64(f.man)) << 52)
	places := math.Float64bits(math.Float64frombits(abs)+shift) - math.Float64bits(shift)
	// A carry of the rounding runs into the exponent, and past the last into top.
	return sign | min((exp-least)<<f.man+places, f.top)
}

// decode returns the value of a code, exactly. A NaN becomes quiet and keeps its
// payload.
func (f *format) decode(code uint64) float64 {
	sign := code / f.sign << 63
	code &= f.sign - 1
	frac := code & (1<<f.man - 1)
	switch exp := code >> f.man; {
	case code >= f.top:
		if code == f.top && f.quiet != 0 {
			return math.Float64frombits(sign | 0x7ff<<52)
		}
		return math.Float64frombits(sign | 0x7ff8<<48 | frac<<(52-f.man))
	case exp == 0: // an integer times the smallest subnormal
		unit := math.Float64frombits(uint64(1024-f.bias-f.man) << 52)
		return math.Float64frombits(math.Float64bits(float64(frac)*unit) | sign)
	default:
		return math.Float64frombits(sign | (exp+uint64(1023-f.bias))<<52 | frac<<(52-f.man))
	}
}

// text prints a value so that it reads back. It prints the shortest decimal that is
// nearest to no other float32, hence to no other value of the type.
func text(x float32) string { return strconv.FormatFloat(float64(x), 'g', -1, 32) }
