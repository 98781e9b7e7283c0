package amd64

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// Integer division. No vector instruction divides integers, but that of floats is
// exact enough. The quotient of two numbers of n bits, if it is no integer, is at least
// 2^-n away from one.

func expandDivide(x *expansion) *emit.Value {
	r, a, b := x.old.Result().Type, x.old.Args[0], x.old.Args[1]
	rest := x.old.Def.Name == "urem"
	if r.Lanes == 1 {
		return nil
	}
	if r.Elem == emit.I64 {
		return x.divide64(r, a, b, rest)
	}
	wide := map[emit.Elem]int{emit.I8: 32, emit.I16: 32, emit.I32: 64}[r.Elem]
	if r.Lanes*wide > x.t.Bits {
		return x.refuse("the division of %v takes %d bits a lane, more than %s has; use fewer lanes", r, wide, x.t.Name)
	}
	var q *emit.Value
	if r.Elem == emit.I32 {
		q = x.divide32(r, a, b)
	} else {
		i, f := with(r, emit.I32), with(r, emit.F32)
		float := func(v *emit.Value) *emit.Value { return x.op("cvt", "rne", f, x.op("zext", "", i, v)) }
		q = x.op("trunc", "", r, x.op("cvt", "trunc", i, x.op("div", "", f, float(a), float(b))))
	}
	if rest {
		return x.op("sub", "", r, a, x.op("mul", "", r, q, b))
	}
	return q
}

// divide32 divides in f64. Conversions are of signed integers, so numbers are moved by
// 2^31 on both ways.
func (x *expansion) divide32(r emit.Type, a, b *emit.Value) *emit.Value {
	f := with(r, emit.F64)
	top, half := x.int(r, math.MinInt32), x.float(f, 0x1p31)
	float := func(v *emit.Value) *emit.Value {
		return x.op("add", "", f, x.op("cvt", "rne", f, x.op("xor", "", r, v, top)), half)
	}
	q := x.op("round", "floor", f, x.op("div", "", f, float(a), float(b)))
	return x.op("xor", "", r, x.op("cvt", "trunc", r, x.op("sub", "", f, q, half)), top)
}

// divide64 divides the upper 63 bits of a, which are not negative, in two steps that
// never take too much. A quotient in f64 is off by some 2^-51, so it is lowered by
// 2^-50. After the second, what is left is below 2b. The last bit of a comes in by hand.
func (x *expansion) divide64(r emit.Type, a, b *emit.Value, rest bool) *emit.Value {
	f := with(r, emit.F64)
	two := func(name string, a, b *emit.Value) *emit.Value { return x.op(name, "", r, a, b) }
	one, top := x.int(r, 1), x.int(r, math.MinInt64)
	below := two("xor", b, top)
	atLeast := func(v *emit.Value) *emit.Value { return x.op("cmp", "ge", r.Mask(), two("xor", v, top), below) } // without sign
	negative := x.op("cmp", "lt", r.Mask(), b, x.int(r, 0))
	divisor := x.op("select", "", f, negative, x.float(f, 0x1p64), x.op("cvt", "rne", f, b)) // from 2^63 on nothing is taken
	less := x.float(f, 1-0x1p-50)

	n := two("shr", a, one)
	var q *emit.Value
	for range 2 {
		part := x.op("mul", "", f, x.op("div", "", f, x.op("cvt", "rne", f, n), divisor), less)
		p := x.op("cvt", "trunc", r, part)
		n = two("sub", n, two("mul", p, b))
		if q == nil {
			q = p
		} else {
			q = two("add", q, p)
		}
	}
	step := func() {
		c := atLeast(n)
		q = x.op("select", "", r, c, two("add", q, one), q)
		n = x.op("select", "", r, c, two("sub", n, b), n)
	}
	step()
	q, n = two("shl", q, one), two("or", two("shl", n, one), two("and", a, one))
	step()
	if rest {
		return n
	}
	return q
}
