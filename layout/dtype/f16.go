package dtype

import "math"

// F16 is an IEEE 754 binary16 number: 5 exponent bits, 10 fraction bits, finite up
// to 65504.
type F16 struct{ bits uint16 }

// ToF16 returns x rounded to the nearest F16, ties to even; from 65520 on,
// that is infinity. A NaN stays a NaN.
func ToF16[T Float](x T) F16 { return F16{uint16(f16.encode(float64(x)))} }

// F16FromBits returns the F16 with the encoding b.
func F16FromBits(b uint16) F16 { return F16{b} }

// Bits returns the encoding of x.
func (x F16) Bits() uint16 { return x.bits }

// Float32 returns x, exactly.
func (x F16) Float32() float32 {
	// With its bits in the places of float32's it is 2^112 times too small, also if it is denormal.
	bits := uint32(x.bits&0x7fff) << 13
	f := math.Float32frombits(bits) * 0x1p112
	if bits >= 0x7c00<<13 { // Inf or NaN
		f = math.Float32frombits(bits | 0xff<<23)
	}
	return math.Float32frombits(math.Float32bits(f) | uint32(x.bits>>15)<<31)
}

// Float64 returns x, exactly.
func (x F16) Float64() float64 { return f16.decode(uint64(x.bits)) }

// String returns the shortest decimal that is x as a float32.
func (x F16) String() string { return text(x.Float32()) }
