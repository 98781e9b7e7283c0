package fntest

import "github.com/tilesmith/tilesmith/layout/dtype"

// ScaleBF16 stores in the upper half of a float32.
func ScaleBF16(acc float32, bias dtype.BF16) dtype.BF16 { return dtype.ToBF16(acc*2 + bias.Float32()) }

// SelectF16 selects between numbers that nothing is computed with.
func SelectF16(x dtype.F16, y dtype.F16, m bool) (dtype.F16, bool) {
	var zero dtype.F16
	if x == zero {
		return dtype.F16{}, true
	}
	if m {
		x, y = y, x
	}
	return x, x == y
}

// Narrow8 converts by way of float64, which loses nothing.
func Narrow8(x dtype.F8E4M3, y dtype.F8E5M2) (dtype.F8E5M2, dtype.F8E4M3, float64) {
	return dtype.ToF8E5M2(x.Float64()), dtype.ToF8E4M3(y.Float32()), x.Float64() * y.Float64()
}

// FlipBF16 works on the bits.
func FlipBF16(x dtype.BF16) dtype.BF16 { return dtype.BF16FromBits(x.Bits() ^ 1<<15) }

// Eight rounds twice the number to eight bits.
func Eight(x float32) dtype.F8E4M3 { return dtype.ToF8E4M3(2 * x) }
