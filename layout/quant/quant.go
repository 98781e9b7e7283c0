package quant

import "math"

// Int is what numbers are quantised to.
type Int interface{ int8 | uint8 | int16 }

// Limits returns the least and the greatest number of the type.
func Limits[T Int]() (least, greatest int32) {
	var x T
	switch any(x).(type) {
	case uint8:
		return 0, math.MaxUint8
	case int16:
		return math.MinInt16, math.MaxInt16
	}
	return math.MinInt8, math.MaxInt8
}

// Saturate returns the T that is nearest to x, of two the even one.
func Saturate[T Int](x float32) T { return shifted[T](x, 0) }

// shifted returns the T nearest to x + zero, where x is rounded first. It is clamped before it
// is rounded, to the numbers that zero keeps in the type, so that the sum is one of integers.
func shifted[T Int](x float32, zero T) T {
	least, greatest := Limits[T]()
	lo, hi := float32(least-int32(zero)), float32(greatest-int32(zero))
	if !(x > lo) { // a NaN, too
		x = lo
	}
	if !(x < hi) {
		x = hi
	}
	return T(int32(math.RoundToEven(float64(x))) + int32(zero))
}

// Quantise returns x/scale, rounded, plus zero, saturated: the T that stands for x.
func Quantise[T Int](x, scale float32, zero T) T { return shifted(x/scale, zero) }

// Restore returns scale*(x-zero): what x stands for.
func Restore[T Int](x T, scale float32, zero T) float32 {
	return float32(int32(x)-int32(zero)) * scale
}

// Dequantise returns acc*scale.
func Dequantise(acc int32, scale float32) float32 { return float32(acc) * scale }

// DequantiseBias returns (acc+bias)*scale, where bias is in the unit of the sum.
func DequantiseBias(acc, bias int32, scale float32) float32 { return float32(acc+bias) * scale }

// Requantise returns acc*scale, rounded, plus zero, saturated.
func Requantise[T Int](acc int32, scale float32, zero T) T {
	return shifted(float32(acc)*scale, zero)
}

// RequantiseBias returns (acc+bias)*scale, rounded, plus zero, saturated, where bias is in the
// unit of the sum. With a uint8 and zero 0, numbers below 0 become 0, as in a ReLU.
func RequantiseBias[T Int](acc, bias int32, scale float32, zero T) T {
	return shifted(float32(acc+bias)*scale, zero)
}
