package dtype

// F8E4M3 is a number of the format E4M3 of the OCP 8-bit Floating Point
// Specification 1.0. It has 4 exponent bits and 3 fraction bits, and its finite numbers
// end at 448. It has no infinity, and one NaN of either sign.
type F8E4M3 struct{ bits uint8 }

// ToF8E4M3 returns x rounded to the nearest F8E4M3, ties to even; beyond 464,
// infinity included, that is NaN, where [ToF8E4M3Sat] gives 448. A NaN stays a
// NaN.
func ToF8E4M3[T Float](x T) F8E4M3 { return F8E4M3{uint8(e4m3.encode(float64(x)))} }

// F8E4M3FromBits returns the F8E4M3 with the encoding b.
func F8E4M3FromBits(b uint8) F8E4M3 { return F8E4M3{b} }

// Bits returns the encoding of x.
func (x F8E4M3) Bits() uint8 { return x.bits }

// Float32 returns x, exactly.
func (x F8E4M3) Float32() float32 { return float32(x.Float64()) }

// Float64 returns x, exactly.
func (x F8E4M3) Float64() float64 { return e4m3.decode(uint64(x.bits)) }

// String returns the shortest decimal that is x as a float32.
func (x F8E4M3) String() string { return text(x.Float32()) }

// ToF8E4M3Sat is ToF8E4M3 with 448 and -448 for numbers out of range, infinities
// included: the saturating mode of the OCP specification and of PTX's .satfinite.
func ToF8E4M3Sat[T Float](x T) F8E4M3 { return ToF8E4M3(max(-448, min(x, 448))) }
