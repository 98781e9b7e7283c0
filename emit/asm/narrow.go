package asm

import "github.com/tilesmith/tilesmith/emit"

// Expansions that more than one architecture needs.

// SelectMask chooses between masks by logic.
func SelectMask(x *Expansion) *emit.Value {
	r, a := x.Old.Result().Type, x.Old.Args
	return x.Op("xor", "", r, x.Op("and", "", r, x.Op("xor", "", r, a[1], a[2]), a[0]), a[2])
}

// MinMax compares integers and selects.
func MinMax(x *Expansion) *emit.Value {
	r, a := x.Old.Result().Type, x.Old.Args
	pred := map[string]string{"imin": "lt", "imax": "gt"}[x.Old.Def.Name]
	return x.Op("select", "", r, x.Op("cmp", pred, r.Mask(), a...), a[0], a[1])
}

// WidenBF16 makes f32 of bf16, whose bits are the upper half.
func WidenBF16(x *Expansion, v *emit.Value, r emit.Type) *emit.Value {
	wide := x.Op("zext", "", With(r, emit.I32), x.Op("bitcast", "", With(r, emit.I16), v))
	return x.Op("bitcast", "", r, x.Op("shl", "", wide.Type, wide, x.Int(wide.Type, 16)))
}

// RoundBF16 rounds f32 to bf16 in integers, since instructions that do take denormals
// for zeros. Below the last place it adds half a unit less one, and that place's bit. A
// NaN keeps its high bits and is made quiet. With saturates lanes are narrowed by
// saturation, which costs less than to drop their upper halves on some machines.
func RoundBF16(x *Expansion, v *emit.Value, r emit.Type, saturates bool) *emit.Value {
	t := With(r, emit.I32)
	two := func(name string, a, b *emit.Value) *emit.Value { return x.Op(name, "", t, a, b) }
	bits := x.Op("bitcast", "", t, v)
	high := two("shr", bits, x.Int(t, 16))
	odd := two("and", high, x.Int(t, 1))
	sum := two("add", two("add", bits, odd), x.Int(t, 0x7fff))
	nan := x.Op("cmp", "ne", t.Mask(), v, v)
	all := x.Op("select", "", t, nan, two("or", high, x.Int(t, 0x40)), two("shr", sum, x.Int(t, 16)))
	small := With(r, emit.I16)
	if saturates { // nothing is above 16 bits
		return x.Op("bitcast", "", r, x.Op("sat", "u", small, all))
	}
	return x.Op("bitcast", "", r, x.Op("trunc", "", small, all))
}
