package amd64

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// Conversions between lanes of 64 bits and floats, which AVX2 has no instruction for.
// The exponents of 2^52 and 2^84, put above 32 bits, make a float of them whose last
// place is 1 or 2^32. Then the number of the exponent is subtracted again.

// halves returns the signed upper half of v, times 2^32, and the lower half, as f64:
// both are exact.
func halves(x *asm.Expansion, v *emit.Value) (high, lower *emit.Value) {
	i, f := v.Type, asm.With(v.Type, emit.F64)
	bits := func(y float64) *emit.Value { return x.Int(i, int64(math.Float64bits(y))) }
	low := x.Op("or", "", i, x.Op("and", "", i, v, x.Int(i, math.MaxUint32)), bits(0x1p52))
	top := x.Op("xor", "", i, upper(x, v), bits(0x1p84+0x1p63)) // which turns the sign
	return x.Op("sub", "", f, x.Op("bitcast", "", f, top), x.Float(f, 0x1p84+0x1p63)),
		x.Op("sub", "", f, x.Op("bitcast", "", f, low), x.Float(f, 0x1p52))
}

// fromInt64 makes floats of 64-bit integers.
func fromInt64(x *asm.Expansion, v *emit.Value, r emit.Type) *emit.Value {
	i, f := v.Type, asm.With(v.Type, emit.F64)
	upper, lower := halves(x, v)
	sum := x.Op("add", "", f, upper, lower)
	if r.Elem == emit.F64 {
		return sum
	}
	// Rounded to odd, so that it can be rounded once more: towards zero, with the last
	// bit set if that was not exact.
	err := x.Op("sub", "", f, lower, x.Op("sub", "", f, sum, upper))
	zero, none, one := x.Float(f, 0), x.Int(i, 0), x.Int(i, 1)
	away := x.Op("cmp", "lt", f.Mask(), x.Op("mul", "", f, err, sum), zero)
	inexact := x.Op("cmp", "ne", f.Mask(), err, zero)
	bits := x.Op("sub", "", i, x.Op("bitcast", "", i, sum), x.Op("select", "", i, away, one, none))
	odd := x.Op("or", "", i, bits, x.Op("select", "", i, inexact, one, none))
	return x.Op("cvt", "rne", r, x.Op("bitcast", "", f, odd))
}

// toInt64 makes 64-bit integers of floats: the upper half and the lower one each on
// their own.
func toInt64(x *asm.Expansion, v *emit.Value, r emit.Type) *emit.Value {
	f := asm.With(r, emit.F64)
	if v.Type != f {
		v = x.Op("cvt", "rne", f, v)
	}
	v = x.Op("round", x.Old.Attr.Name, f, v)
	high := x.Op("round", "floor", f, x.Op("mul", "", f, v, x.Float(f, 0x1p-32)))
	low := x.Op("add", "", f, x.Op("fma", "", f, v, high, x.Float(f, -0x1p32)), x.Float(f, 0x1p52))
	lower := x.Op("and", "", r, x.Op("bitcast", "", r, low), x.Int(r, math.MaxUint32))
	upper := x.Op("shl", "", r, x.Op("sext", "", r, x.Op("cvt", "trunc", asm.With(r, emit.I32), high)), x.Int(r, 32))
	fits := x.Op("and", "", f.Mask(), x.Op("cmp", "ge", f.Mask(), v, x.Float(f, -0x1p63)), x.Op("cmp", "lt", f.Mask(), v, x.Float(f, 0x1p63)))
	return x.Op("select", "", r, fits, x.Op("or", "", r, upper, lower), x.Int(r, math.MinInt64))
}
