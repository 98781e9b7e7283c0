package check

import (
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Elem rounds x to an element type; integers are clamped.
func Elem[T dtype.Elem](x float64) T {
	var v T
	switch p := any(&v).(type) {
	case *float32:
		*p = float32(x)
	case *float64:
		*p = x
	case *dtype.F16:
		*p = dtype.ToF16(x)
	case *dtype.BF16:
		*p = dtype.ToBF16(x)
	case *dtype.F8E4M3:
		*p = dtype.ToF8E4M3(x)
	case *dtype.F8E5M2:
		*p = dtype.ToF8E5M2(x)
	case *int8:
		*p = int8(max(-128, min(127, math.RoundToEven(x))))
	case *int32:
		*p = int32(max(math.MinInt32, min(math.MaxInt32, math.RoundToEven(x))))
	case *uint8:
		*p = uint8(max(0, min(255, math.RoundToEven(x))))
	case *int16:
		*p = int16(max(math.MinInt16, min(math.MaxInt16, math.RoundToEven(x))))
	}
	return v
}

// Float64 returns the value of an element.
func Float64[T dtype.Elem](v T) float64 {
	switch x := any(v).(type) {
	case float32:
		return float64(x)
	case float64:
		return x
	case dtype.F16:
		return x.Float64()
	case dtype.BF16:
		return x.Float64()
	case dtype.F8E4M3:
		return x.Float64()
	case dtype.F8E5M2:
		return x.Float64()
	case int8:
		return float64(x)
	case int32:
		return float64(x)
	case uint8:
		return float64(x)
	case int16:
		return float64(x)
	}
	return math.NaN()
}

// numberFormat returns the bits of a type's significand, or of its parts', the leading one counted, and the
// exponent of its smallest positive value; 0, 0 for integers.
func numberFormat(t dtype.Type) (bits, least int) {
	switch t {
	case dtype.F32, dtype.C64:
		return 24, -149
	case dtype.F64, dtype.C128:
		return 53, -1074
	case dtype.TypeF16:
		return 11, -24
	case dtype.TypeBF16:
		return 8, -133
	case dtype.TypeF8E4M3:
		return 4, -9
	case dtype.TypeF8E5M2:
		return 3, -16
	}
	return 0, 0
}

// ulpOf returns the distance between values of a type near x: 1 for integers.
func ulpOf(t dtype.Type, x float64) float64 {
	bits, least := numberFormat(t)
	return ulpIn(bits, least, x)
}

// ulpIn is ulpOf in a format. It takes exponents apart by bits, since oracles ask for it most of their time.
func ulpIn(bits, least int, x float64) float64 {
	if bits == 0 {
		return 1
	}
	e := int(math.Float64bits(x)>>52&0x7ff) - 1022
	switch e {
	case 0x7ff - 1022: // an infinity or NaN
		return 0
	case -1022: // denormal, or zero
		_, e = math.Frexp(x)
	}
	if e = max(e-bits, least); e > -1023 {
		return math.Float64frombits(uint64(e+1023) << 52)
	}
	return math.Ldexp(1, e)
}
