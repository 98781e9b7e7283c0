package dtype

import (
	"math"
	"unsafe"
)

// BF16 is a bfloat16 number: the upper half of a float32, with 8 exponent bits and
// 7 fraction bits.
type BF16 struct{ bits uint16 }

// ToBF16 returns x rounded to the nearest BF16, ties to even; out of range
// that is infinity. A NaN stays a NaN.
func ToBF16[T Float](x T) BF16 {
	if unsafe.Sizeof(x) == 4 { // the upper half, and the lower one carries: results of products are many
		b := math.Float32bits(float32(x))
		if x != x {
			return BF16{uint16(b>>16 | 1<<6)}
		}
		return BF16{uint16((b + 0x7fff + b>>16&1) >> 16)}
	}
	return BF16{uint16(bf16.encode(float64(x)))}
}

// BF16FromBits returns the BF16 with the encoding b.
func BF16FromBits(b uint16) BF16 { return BF16{b} }

// Bits returns the encoding of x.
func (x BF16) Bits() uint16 { return x.bits }

// Float32 returns x, exactly.
func (x BF16) Float32() float32 { return math.Float32frombits(uint32(x.bits) << 16) }

// Float64 returns x, exactly.
func (x BF16) Float64() float64 { return bf16.decode(uint64(x.bits)) }

// String returns the shortest decimal that is x as a float32.
func (x BF16) String() string { return text(x.Float32()) }
