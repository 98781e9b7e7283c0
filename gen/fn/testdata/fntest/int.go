package fntest

import (
	"math"
	"math/bits"
)

// Requant turns a sum into an int8: scale, add the residual, round, clamp.
func Requant(acc int32, scale float32, res int8) int8 {
	x := math.RoundToEven(float64(float32(acc)*scale + float32(res)))
	return int8(max(-128, min(127, x)))
}

// RequantIf clamps with ifs.
func RequantIf(x float32) int8 {
	if x > 127 {
		return 127
	}
	if x < -128 {
		return -128
	}
	return int8(x)
}

// RequantElse clamps with assignments.
func RequantElse(x float64) (int16, uint8) {
	y := x
	if x > 32767 {
		x = 32767
	} else if x < -32768 {
		x = -32768
	}
	if !(y >= 0 && y < 256) {
		y = 0
	}
	return int16(x), uint8(y)
}

// ToInt64 converts in both widths.
func ToInt64(x float64) (int64, int32, uint32, uint64) {
	y := min(max(x, -1e15), 1e15)
	z := math.Max(0, math.Min(x, 4e9))
	return int64(y), int32(max(min(x, 1e9), -1e9)), uint32(z), uint64(z * 1e9)
}

// Tanh127 relies on the ends of tanh.
func Tanh127(x float32) int8 { return int8(127 * float32(math.Tanh(float64(x)))) }

// IntMix has the operators of int32.
func IntMix(x, y int32) (int32, int32, int32, int32) {
	return x*y + x - y, x&y | x ^ 0x55, x &^ y, -x + ^y
}

// Shifts shifts by constants.
func Shifts(x int32, y uint32, z int8) (int32, int32, uint32, int8, int8) {
	const beyond = 33
	wide := uint(beyond) // shifting everything out is defined, and vet takes a constant for a mistake
	return x << 3, x >> (wide + 7), y>>7 + y<<wide, z >> 2, z << 7
}

// Divides divides by powers of two.
func Divides(x int32, y uint16, z int64) (int32, int32, uint16, uint16, int64, int32) {
	return x / 8, x % 8, y / 16, y % 16, z / -4, x % -2
}

// Narrow and widen integers.
func Narrow(x int64, y uint8, z int16) (int8, uint16, int64, uint32, int32, int16) {
	return int8(x), uint16(x), int64(z), uint32(z), int32(y), int16(int8(y))
}

// FromInts converts integers to floats.
func FromInts(a int8, b uint8, c int32, d uint32, e int64) (float32, float64, float32, float32, float64) {
	return float32(a), float64(b), float32(c), float32(d), float64(e)
}

// FromUint64 converts what is known to be below 1<<63.
func FromUint64(x uint64) float32 { return float32(x >> 1) }

// IntOrder compares numbers with and without sign.
func IntOrder(x, y int16, a, b uint32) (bool, bool, uint32, int16, uint32) {
	return x < y, a > b, max(a, b, 7), min(x, y), min(a, b)
}

// Saturate adds with saturation.
func Saturate(x, y int8) int8 {
	return int8(max(math.MinInt8, min(math.MaxInt8, int16(x)+int16(y))))
}

// Wrap wraps around.
func Wrap(x int8, y uint8) (int8, uint8) { return x + 100, y*y - 1 }

// Hash mixes bits.
func Hash(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x7feb352d
	x ^= x >> 15
	x *= 0x846ca68b
	return x ^ x>>16
}

// Median sorts three by comparing.
func Median(x, y, z int32) int32 {
	v := [3]int32{x, y, z}
	for i := 1; i < len(v); i++ {
		for j := i; j > 0; j-- {
			if v[j-1] > v[j] {
				v[j-1], v[j] = v[j], v[j-1]
			}
		}
	}
	return v[1]
}

// Count counts bits in a loop.
func Count(x uint8) int32 {
	n := int32(0)
	for i := 0; i < 8; i++ {
		if x>>i&1 == 1 {
			n++
		}
	}
	return n
}

// Quantize packs with a bool.
func Quantize(x float32, up bool) uint8 {
	if up {
		x++
	}
	return uint8(min(max(x*255, 0), 255) + 0.5)
}

// DivideBy divides by constants that are no powers of two.
func DivideBy(x int32, y uint16, z int64, a uint8, b uint64, c uint32) (int32, int32, uint16, int64, int64, uint8, uint64, uint32, uint32) {
	return x / 7, x % -10, y / 1000, z / 1_000_000_007, z % 3, a % 6, b / 7, c / 641, c % 7
}

// DivideVar divides by what is proved not to be 0, in four ways.
func DivideVar(x, y int32, a, b uint64, s, u int16) (int32, int32, uint64, uint64, int16, int32) {
	if y == 0 {
		y = -1
	}
	q := int32(0)
	if u != 0 {
		q = x / int32(u)
	}
	return x / y, x % y, a / (b | 1), a % max(b>>20, 1), s / max(u, 1), q
}

// ShiftBy shifts by variables, beyond the width too.
func ShiftBy(x int32, y uint64, z int16, n uint8, m int64) (int32, int32, uint64, uint64, int16, int16, int32) {
	m &= 127
	return x << n, x >> n, y << m, y >> (n & 63), z << (n % 20), z >> m, x >> (n % 32)
}

// CountBits calls functions of package math/bits.
func CountBits(a uint8, b uint16, c uint32, d uint64) (int32, int, int16, int, uint8, uint32, int, int) {
	return int32(bits.OnesCount32(c)), bits.LeadingZeros64(d), int16(bits.Len16(b)), bits.TrailingZeros32(c),
		uint8(bits.OnesCount8(a)), bits.RotateLeft32(c, int(a)), bits.LeadingZeros8(a), bits.TrailingZeros(uint(d))
}

// Swapped moves bytes and bits.
func Swapped(a uint16, b uint32, c uint64) (uint16, uint32, uint64, uint64) {
	return bits.ReverseBytes16(a), bits.ReverseBytes32(b), bits.ReverseBytes64(c), bits.RotateLeft64(c, -9)
}

// Large converts numbers from 1<<63 on.
func Large(x uint64, y float64, z float32) (float32, float64, uint64, uint64) {
	return float32(x), float64(x), uint64(max(0, min(y, 1.8e19))), uint64(min(max(z*1e19, 0), 1.8e19))
}

// Wide64 multiplies and converts 64 bits.
func Wide64(x, y int64, a uint64, z float32) (int64, uint64, float32, float64, int64) {
	return x * y, a * 0x9e3779b97f4a7c15, float32(x), float64(y), int64(min(max(z*1e12, -1e18), 1e18))
}
