package lang

import (
	"math"
	"math/bits"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

type mask bool

// SameKind changes the name only.
func SameKind(x float32) bool { return bool(mask(x > 0)) }

// Floats rounds where it says so.
func Floats(x, y float32) (float32, float64) { return float32(x*y) + 1, float64(x) }

// IntToFloat converts what fits.
func IntToFloat(i int32, u uint64) (float32, float64) { return float32(i), float64(u >> 1) }

// FloatToInt clamps first.
func FloatToInt(x float32) int8 {
	if x != x {
		x = 0
	}
	return int8(max(-128, min(127, x)))
}

// IntToInt extends and cuts off.
func IntToInt(i int32, u uint8) (int8, int64, int32) { return int8(i), int64(i), int32(u) }

// Bits32 clears the low half of a number.
func Bits32(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ 0xffff) }

// Bits64 changes the sign.
func Bits64(x float64) float64 { return math.Float64frombits(math.Float64bits(x) ^ 1<<63) }

// Specials replaces them.
func Specials(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return math.Inf(1)
	case math.IsInf(x, 0):
		return math.NaN()
	}
	return x
}

// Signbit tells -0 from +0.
func Signbit(x float32) bool { return math.Signbit(float64(x)) }

// Phase is what is left of a clamped number without multiples of 3/4.
func Phase(x float32) float32 { return float32(math.Mod(float64(max(-1000, min(1000, x))), 0.75)) }

// Dim is a difference above 0.
func Dim(x, y float64) float64 { return math.Dim(x, y) }

// Narrow16 rounds a sum.
func Narrow16(x float32, y dtype.BF16) (dtype.BF16, dtype.F16) {
	z := x + y.Float32()
	return dtype.ToBF16(z), dtype.ToF16(z)
}

// Narrow8 converts between the types of eight bits.
func Narrow8(x dtype.F8E4M3) (dtype.F8E5M2, dtype.F8E4M3) {
	return dtype.ToF8E5M2(x.Float64()), dtype.ToF8E4M3(x.Float64())
}

// FromBits16 changes signs.
func FromBits16(x dtype.BF16, y dtype.F16) (dtype.BF16, dtype.F16) {
	return dtype.BF16FromBits(x.Bits() ^ 1<<15), dtype.F16FromBits(y.Bits() ^ 1<<15)
}

// FromBits8 does so for the types of eight bits.
func FromBits8(x dtype.F8E4M3, y dtype.F8E5M2) (dtype.F8E4M3, dtype.F8E5M2) {
	return dtype.F8E4M3FromBits(x.Bits() ^ 1<<7), dtype.F8E5M2FromBits(y.Bits() ^ 1<<7)
}

// Counts counts bits.
func Counts(x uint32) (ones, zeros, length, low int) {
	return bits.OnesCount32(x), bits.LeadingZeros32(x), bits.Len32(x), bits.TrailingZeros32(x)
}

// Moved moves bits and bytes.
func Moved(x uint32, k int) (turned, reversed uint32) {
	return bits.RotateLeft32(x, k), bits.ReverseBytes32(x)
}
