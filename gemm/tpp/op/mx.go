package op

import "math"

// Microscaling formats, of "OCP Microscaling Formats (MX) Specification" 1.0, 2023: elements of eight to four bits, of which blocks
// have a scale in common, a power of two in eight bits: 2^(scale-127), where 255 is NaN. tpp.ToMX and FromMX are made of these.

// ScaleE4M3 returns the scale of a block with greatest magnitude most, for elements of E4M3. It is the
// largest power of two that is at most most, divided by 2^8, the largest power of two of an element. A block
// with NaN or an infinity has NaN.
func ScaleE4M3(most float32) uint8 { return mxScale(most, 8) }

// ScaleE5M2 is ScaleE4M3 for elements of E5M2.
func ScaleE5M2(most float32) uint8 { return mxScale(most, 15) }

// ScaleE2M3 is ScaleE4M3 for elements of six bits, two of them the exponent's.
func ScaleE2M3(most float32) uint8 { return mxScale(most, 2) }

// ScaleE3M2 is ScaleE4M3 for elements of six bits, three of them the exponent's.
func ScaleE3M2(most float32) uint8 { return mxScale(most, 4) }

// ScaleE2M1 is ScaleE4M3 for elements of four bits.
func ScaleE2M1(most float32) uint8 { return mxScale(most, 2) }

func mxScale(most float32, emax int32) uint8 {
	e := int32(math.Float32bits(most) >> 23 & 0xff)
	if e == 255 {
		return 255
	}
	return uint8(max(e-emax, 0))
}

// mxPower is 2^(scale-127).
func mxPower(scale uint8) float32 {
	switch scale {
	case 0:
		return math.Float32frombits(1 << 22) // which is denormal
	case 255:
		return float32(math.NaN())
	}
	return math.Float32frombits(uint32(scale) << 23)
}

// mxOver is x over 2^(scale-127), without rounding unless it is denormal.
func mxOver(x float32, scale uint8) float32 {
	if scale == 255 {
		return float32(math.NaN())
	}
	half := uint32(scale) / 2 // since the inverse of the greatest is denormal
	return x * math.Float32frombits((127-half+63)<<23) * math.Float32frombits((127-(uint32(scale)-half)+64)<<23)
}

// ToE4M3 returns the bits of the element of x in a block with a scale, those of a dtype.F8E4M3. It rounds to
// nearest with ties to even. Numbers beyond the greatest element become that element. A block with NaN has it
// in its scale, and elements are 0.
func ToE4M3(x float32, scale uint8) uint8 { return mxCode(mxOver(x, scale), 4, 3, -6, 448) }

// ToE5M2 is ToE4M3 for those of a dtype.F8E5M2.
func ToE5M2(x float32, scale uint8) uint8 { return mxCode(mxOver(x, scale), 5, 2, -14, 57344) }

// ToE2M3 is ToE4M3 for elements of six bits, the lowest of a byte.
func ToE2M3(x float32, scale uint8) uint8 { return mxCode(mxOver(x, scale), 2, 3, 0, 7.5) }

// ToE3M2 is ToE2M3 with three bits of exponent.
func ToE3M2(x float32, scale uint8) uint8 { return mxCode(mxOver(x, scale), 3, 2, -2, 28) }

// ToE2M1 is ToE2M3 for elements of four bits.
func ToE2M1(x float32, scale uint8) uint8 { return mxCode(mxOver(x, scale), 2, 1, 0, 6) }

// FromE4M3 returns the number of an element, or NaN.
func FromE4M3(e, scale uint8) float32 {
	if e&0x7f == 0x7f {
		return float32(math.NaN())
	}
	return mxNumber(e, 4, 3, -6) * mxPower(scale)
}

// FromE5M2 is FromE4M3 for elements of F8E5M2, infinities among them.
func FromE5M2(e, scale uint8) float32 {
	x := mxNumber(e, 5, 2, -14)
	if e&0x7f == 0x7c {
		x *= float32(math.Inf(1))
	}
	if e&0x7f > 0x7c {
		x = float32(math.NaN())
	}
	return x * mxPower(scale)
}

// FromE2M3 returns the number that an element is.
func FromE2M3(e, scale uint8) float32 { return mxNumber(e, 2, 3, 0) * mxPower(scale) }

// FromE3M2 is FromE2M3 with three bits of exponent.
func FromE3M2(e, scale uint8) float32 { return mxNumber(e, 3, 2, -2) * mxPower(scale) }

// FromE2M1 is FromE2M3 for elements of four bits.
func FromE2M1(e, scale uint8) float32 { return mxNumber(e, 2, 1, 0) * mxPower(scale) }

// mxCode is x as a sign, eb bits of exponent and mb of mantissa, whose least normal number is 2^emin and
// whose greatest is most. It rounds to a multiple of the distance of numbers around it, which goes on where
// the next exponent begins.
func mxCode(x float32, eb, mb, emin int32, most float32) uint8 {
	bits := math.Float32bits(x)
	size := math.Float32frombits(bits & 0x7fffffff)
	if size != size {
		return 0
	}
	size = min(size, most)
	e := max(int32(math.Float32bits(size)>>23)-127, emin)
	// To nearest, with ties to even, in the lowest bits of a sum whose unit is 1.
	n := math.Float32bits(size*math.Float32frombits(uint32(127+mb-e)<<23)+1<<23) & 0xff
	code := (e-emin)<<mb + int32(n)
	return uint8(code) | uint8(bits>>31<<uint32(eb+mb))
}

// mxNumber is the number that a code is.
func mxNumber(code uint8, eb, mb, emin int32) float32 {
	c := int32(code)
	e, n := c>>mb&(1<<eb-1), c&(1<<mb-1)
	if e > 0 {
		n, e = n+1<<mb, e-1
	}
	x := float32(n) * math.Float32frombits(uint32(127+e+emin-mb)<<23)
	if c>>(eb+mb)&1 != 0 {
		return -x
	}
	return x
}
