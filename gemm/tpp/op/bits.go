package op

import (
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Stochastic rounds x to a BF16 above or below it. It rounds up with a probability that is x's
// share of the way, if the lower half of word is random. NaN and infinities stay; what is beyond
// the greatest BF16 may become infinite.
func Stochastic(x float32, word int32) dtype.BF16 {
	if x != x {
		return dtype.ToBF16(x)
	}
	bits := math.Float32bits(x) + uint32(word)&0xffff
	return dtype.BF16FromBits(uint16(bits >> 16))
}

// High returns the upper half of the bits of x, and Low the lower one: what [Zip] makes x of
// again. High is x rounded towards zero. For NaN they are a NaN and 0.
func High(x float32) dtype.BF16 {
	if x != x {
		return dtype.ToBF16(x)
	}
	return dtype.BF16FromBits(uint16(math.Float32bits(x) >> 16))
}

// Low is described with High. It is bits and no number.
func Low(x float32) dtype.BF16 {
	if x != x {
		return dtype.BF16FromBits(0)
	}
	return dtype.BF16FromBits(uint16(math.Float32bits(x)))
}

// Zip returns the float32 with these halves.
func Zip(high, low dtype.BF16) float32 {
	return math.Float32frombits(uint32(high.Bits())<<16 | uint32(low.Bits()))
}
