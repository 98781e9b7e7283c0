package dtype

// F8E5M2 is a number of the format E5M2 of the OCP 8-bit Floating Point
// Specification 1.0. It has 5 exponent bits and 2 fraction bits. Its finite numbers end
// at 57344, and it has infinities and NaNs as in IEEE 754.
type F8E5M2 struct{ bits uint8 }

// ToF8E5M2 returns x rounded to the nearest F8E5M2, ties to even; from 61440 on,
// that is infinity, where [ToF8E5M2Sat] gives 57344. A NaN stays a NaN.
func ToF8E5M2[T Float](x T) F8E5M2 { return F8E5M2{uint8(e5m2.encode(float64(x)))} }

// F8E5M2FromBits returns the F8E5M2 with the encoding b.
func F8E5M2FromBits(b uint8) F8E5M2 { return F8E5M2{b} }

// Bits returns the encoding of x.
func (x F8E5M2) Bits() uint8 { return x.bits }

// Float32 returns x, exactly.
func (x F8E5M2) Float32() float32 { return float32(x.Float64()) }

// Float64 returns x, exactly.
func (x F8E5M2) Float64() float64 { return e5m2.decode(uint64(x.bits)) }

// String returns the shortest decimal that is x as a float32.
func (x F8E5M2) String() string { return text(x.Float32()) }

// ToF8E5M2Sat is ToF8E5M2 with 57344 and -57344 for numbers out of range,
// infinities included: the saturating mode of the OCP specification and of PTX's
// .satfinite.
func ToF8E5M2Sat[T Float](x T) F8E5M2 { return ToF8E5M2(max(-57344, min(x, 57344))) }
