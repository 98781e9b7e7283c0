package asm

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// Integer division. No vector instruction divides integers, but that of floats is
// exact enough. The quotient of two numbers of n bits, if it is no integer, is at least
// 2^-n away from one.

// Divide makes udiv and urem of lanes.
func Divide(x *Expansion) *emit.Value {
	r, a, b := x.Old.Result().Type, x.Old.Args[0], x.Old.Args[1]
	rest := x.Old.Def.Name == "urem"
	if r.Lanes == 1 {
		return nil
	}
	if r.Elem == emit.I64 {
		return x.divide64(r, a, b, rest)
	}
	wide := map[emit.Elem]int{emit.I8: 32, emit.I16: 32, emit.I32: 64}[r.Elem]
	if r.Lanes*wide > x.T.Bits {
		return x.Refuse("the division of %v takes %d bits a lane, more than %s has; use fewer lanes", r, wide, x.T.Name)
	}
	var q *emit.Value
	if r.Elem == emit.I32 {
		q = x.divide32(r, a, b)
	} else {
		i, f := With(r, emit.I32), With(r, emit.F32)
		float := func(v *emit.Value) *emit.Value { return x.Op("cvt", "rne", f, x.Op("zext", "", i, v)) }
		q = x.Op("trunc", "", r, x.Op("cvt", "trunc", i, x.Op("div", "", f, float(a), float(b))))
	}
	if rest {
		return x.Op("sub", "", r, a, x.Op("mul", "", r, q, b))
	}
	return q
}

// divide32 divides in f64. Conversions are of signed integers, so numbers are moved by
// 2^31 on both ways.
func (x *Expansion) divide32(r emit.Type, a, b *emit.Value) *emit.Value {
	f := With(r, emit.F64)
	top, half := x.Int(r, math.MinInt32), x.Float(f, 0x1p31)
	float := func(v *emit.Value) *emit.Value {
		return x.Op("add", "", f, x.Op("cvt", "rne", f, x.Op("xor", "", r, v, top)), half)
	}
	q := x.Op("round", "floor", f, x.Op("div", "", f, float(a), float(b)))
	return x.Op("xor", "", r, x.Op("cvt", "trunc", r, x.Op("sub", "", f, q, half)), top)
}

// divide64 divides the upper 63 bits of a, which are not negative, in two steps that
// never take too much. A quotient in f64 is off by some 2^-51, so it is lowered by
// 2^-50. After the second, what is left is below 2b. The last bit of a comes in by hand.
func (x *Expansion) divide64(r emit.Type, a, b *emit.Value, rest bool) *emit.Value {
	f := With(r, emit.F64)
	two := func(name string, a, b *emit.Value) *emit.Value { return x.Op(name, "", r, a, b) }
	one, top := x.Int(r, 1), x.Int(r, math.MinInt64)
	below := two("xor", b, top)
	atLeast := func(v *emit.Value) *emit.Value { return x.Op("cmp", "ge", r.Mask(), two("xor", v, top), below) } // without sign
	negative := x.Op("cmp", "lt", r.Mask(), b, x.Int(r, 0))
	divisor := x.Op("select", "", f, negative, x.Float(f, 0x1p64), x.Op("cvt", "rne", f, b)) // from 2^63 on nothing is taken
	less := x.Float(f, 1-0x1p-50)

	n := two("shr", a, one)
	var q *emit.Value
	for range 2 {
		part := x.Op("mul", "", f, x.Op("div", "", f, x.Op("cvt", "rne", f, n), divisor), less)
		p := x.Op("cvt", "trunc", r, part)
		n = two("sub", n, two("mul", p, b))
		if q == nil {
			q = p
		} else {
			q = two("add", q, p)
		}
	}
	step := func() {
		c := atLeast(n)
		q = x.Op("select", "", r, c, two("add", q, one), q)
		n = x.Op("select", "", r, c, two("sub", n, b), n)
	}
	step()
	q, n = two("shl", q, one), two("or", two("shl", n, one), two("and", a, one))
	step()
	if rest {
		return n
	}
	return q
}
