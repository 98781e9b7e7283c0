package amd64

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// Conversions between lanes of 64 bits and floats, which AVX2 has no instruction for.
// The exponents of 2^52 and 2^84, put above 32 bits, make a float of them whose last
// place is 1 or 2^32. Then the number of the exponent is subtracted again.

// float appends a floating-point constant.
func (x *expansion) float(t emit.Type, f float64) *emit.Value {
	return x.add(newOp(x.old, "const", emit.Attr{F: f}, nil, t))
}

// halves returns the signed upper half of v, times 2^32, and the lower half, as f64:
// both are exact.
func (x *expansion) halves(v *emit.Value) (upper, lower *emit.Value) {
	i, f := v.Type, with(v.Type, emit.F64)
	bits := func(y float64) *emit.Value { return x.int(i, int64(math.Float64bits(y))) }
	low := x.op("or", "", i, x.op("and", "", i, v, x.int(i, math.MaxUint32)), bits(0x1p52))
	high := x.op("xor", "", i, x.upper(v), bits(0x1p84+0x1p63)) // which turns the sign
	return x.op("sub", "", f, x.op("bitcast", "", f, high), x.float(f, 0x1p84+0x1p63)),
		x.op("sub", "", f, x.op("bitcast", "", f, low), x.float(f, 0x1p52))
}

// fromInt64 makes floats of 64-bit integers.
func fromInt64(x *expansion, v *emit.Value, r emit.Type) *emit.Value {
	i, f := v.Type, with(v.Type, emit.F64)
	upper, lower := x.halves(v)
	sum := x.op("add", "", f, upper, lower)
	if r.Elem == emit.F64 {
		return sum
	}
	// Rounded to odd, so that it can be rounded once more: towards zero, with the last
	// bit set if that was not exact.
	err := x.op("sub", "", f, lower, x.op("sub", "", f, sum, upper))
	zero, none, one := x.float(f, 0), x.int(i, 0), x.int(i, 1)
	away := x.op("cmp", "lt", f.Mask(), x.op("mul", "", f, err, sum), zero)
	inexact := x.op("cmp", "ne", f.Mask(), err, zero)
	bits := x.op("sub", "", i, x.op("bitcast", "", i, sum), x.op("select", "", i, away, one, none))
	odd := x.op("or", "", i, bits, x.op("select", "", i, inexact, one, none))
	return x.op("cvt", "rne", r, x.op("bitcast", "", f, odd))
}

// toInt64 makes 64-bit integers of floats: the upper half and the lower one each on
// their own.
func toInt64(x *expansion, v *emit.Value, r emit.Type) *emit.Value {
	f := with(r, emit.F64)
	if v.Type != f {
		v = x.op("cvt", "rne", f, v)
	}
	v = x.op("round", x.old.Attr.Name, f, v)
	high := x.op("round", "floor", f, x.op("mul", "", f, v, x.float(f, 0x1p-32)))
	low := x.op("add", "", f, x.op("fma", "", f, v, high, x.float(f, -0x1p32)), x.float(f, 0x1p52))
	lower := x.op("and", "", r, x.op("bitcast", "", r, low), x.int(r, math.MaxUint32))
	upper := x.op("shl", "", r, x.op("sext", "", r, x.op("cvt", "trunc", with(r, emit.I32), high)), x.int(r, 32))
	fits := x.op("and", "", f.Mask(), x.op("cmp", "ge", f.Mask(), v, x.float(f, -0x1p63)), x.op("cmp", "lt", f.Mask(), v, x.float(f, 0x1p63)))
	return x.op("select", "", r, fits, x.op("or", "", r, upper, lower), x.int(r, math.MinInt64))
}
