package amd64

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// The expansions of elementwise operations on vectors.

// with returns t with other elements.
func with(t emit.Type, e emit.Elem) emit.Type { t.Elem = e; return t }

// expandCmp: AVX2 compares integers for equal and greater only.
func expandCmp(x *expansion) *emit.Value {
	t, r := x.old.Args[0].Type, x.old.Result().Type
	not := map[string]string{"ne": "eq", "le": "gt", "ge": "lt"}[x.old.Attr.Name]
	if x.t.Bits == 512 || t.Lanes == 1 || !t.Elem.Int() || not == "" {
		return nil
	}
	return x.op("xor", "", r, x.op("cmp", not, r, x.old.Args...), x.int(r, 1))
}

// expandSelect chooses between masks by logic.
func expandSelect(x *expansion) *emit.Value {
	r, a := x.old.Result().Type, x.old.Args
	if !isMask(r) {
		return nil
	}
	return x.op("xor", "", r, x.op("and", "", r, x.op("xor", "", r, a[1], a[2]), a[0]), a[2])
}

// expandSar: AVX2 has no arithmetic shift of 64 bits. After a logical shift, (v ^ m) -
// m extends the sign, where m is the bit that the sign went to.
func expandSar(x *expansion) *emit.Value {
	r, v, y := x.old.Result().Type, x.old.Args[0], x.old.Args[1]
	if x.t.Bits == 512 || r.Lanes == 1 || r.Elem != emit.I64 {
		return nil
	}
	var m *emit.Value
	if isConst(y) {
		m = x.int(r, math.MinInt64)
		m.Op.Attr.Imm = int64(uint64(1) << 63 >> uint64(y.Op.Attr.Imm))
	} else {
		m = x.op("shr", "", r, x.int(r, math.MinInt64), y)
	}
	return x.op("sub", "", r, x.op("xor", "", r, x.op("shr", "", r, v, y), m), m)
}

// expandMinMax compares if there is no instruction: in general registers, and for
// 64-bit lanes of AVX2.
func expandMinMax(x *expansion) *emit.Value {
	r, a := x.old.Result().Type, x.old.Args
	if r.Lanes > 1 && (r.Elem != emit.I64 || x.t.Bits == 512) {
		return nil
	}
	pred := map[string]string{"imin": "lt", "imax": "gt"}[x.old.Def.Name]
	return x.op("select", "", r, x.op("cmp", pred, r.Mask(), a...), a[0], a[1])
}

// expandTrunc: AVX2 narrows by saturation only, so the high bits are cleared
// first; 64 bits go to 32 in one step.
func expandTrunc(x *expansion) *emit.Value {
	v, r := x.old.Args[0], x.old.Result().Type
	if x.t.Bits == 512 || r.Lanes == 1 {
		return nil
	}
	if v.Type.Elem == emit.I64 {
		if r.Elem == emit.I32 {
			return nil
		}
		return x.op("trunc", "", r, x.op("trunc", "", with(r, emit.I32), v))
	}
	low := x.op("and", "", v.Type, v, x.int(v.Type, 1<<r.Elem.Bits()-1))
	return x.op("sat", "u", r, low)
}

// expandSat: VPMOVUS of AVX-512 takes its operand without sign; AVX2 has none from 64
// bits.
func expandSat(x *expansion) *emit.Value {
	v, r := x.old.Args[0], x.old.Result().Type
	switch {
	case r.Lanes == 1:
		return nil
	case x.t.Bits == 256 && v.Type.Elem == emit.I64:
		lo, hi := int64(0), int64(1)<<r.Elem.Bits()-1
		if x.old.Attr.Name == "s" {
			lo, hi = -1<<(r.Elem.Bits()-1), 1<<(r.Elem.Bits()-1)-1
		}
		v = x.op("imin", "", v.Type, x.op("imax", "", v.Type, v, x.int(v.Type, lo)), x.int(v.Type, hi))
		return x.op("trunc", "", r, v)
	case x.t.Bits == 256 || x.old.Attr.Name == "s" || notNegative(v):
		return nil
	}
	return x.op("sat", "u", r, x.op("imax", "", v.Type, v, x.int(v.Type, 0)))
}

// notNegative reports whether v is the greater of something and zero.
func notNegative(v *emit.Value) bool {
	return v.Op != nil && v.Op.Def.Name == "imax" && isConst(v.Op.Args[1]) && v.Op.Args[1].Op.Attr.Imm == 0
}

func expandCvt(x *expansion) *emit.Value {
	v, r := x.old.Args[0], x.old.Result().Type
	from, to := v.Type.Elem, r.Elem
	half := func(e emit.Elem) bool { return e == emit.F16 || e == emit.BF16 }
	switch {
	case r.Lanes == 1:
		return nil
	case from == emit.I8 || from == emit.I16:
		return x.op("cvt", "rne", r, x.op("sext", "", with(r, emit.I32), v))
	case half(from) && to != emit.F32: // exact, so two steps are one
		return x.op("cvt", "rne", r, x.op("cvt", "rne", with(r, emit.F32), v))
	case from == emit.BF16:
		wide := x.op("zext", "", with(r, emit.I32), x.op("bitcast", "", with(r, emit.I16), v))
		return x.op("bitcast", "", r, x.op("shl", "", wide.Type, wide, x.int(wide.Type, 16)))
	case to == emit.BF16 && from == emit.F32:
		return roundBF16(x, v, r)
	case from == emit.I64 && x.t.Bits == 256:
		return fromInt64(x, v, r)
	case to == emit.I64 && x.t.Bits == 256 && full(from):
		return toInt64(x, v, r)
	}
	return nil
}

// roundBF16 rounds f32 to bf16 in integers, because VCVTNEPS2BF16 takes denormals
// for zeros. Below the last place it adds half a unit less one, and that place's bit. A
// NaN keeps its high bits and is made quiet.
func roundBF16(x *expansion, v *emit.Value, r emit.Type) *emit.Value {
	t := with(r, emit.I32)
	two := func(name string, a, b *emit.Value) *emit.Value { return x.op(name, "", t, a, b) }
	bits := x.op("bitcast", "", t, v)
	high := two("shr", bits, x.int(t, 16))
	odd := two("and", high, x.int(t, 1))
	sum := two("add", two("add", bits, odd), x.int(t, 0x7fff))
	nan := x.op("cmp", "ne", t.Mask(), v, v)
	all := x.op("select", "", t, nan, two("or", high, x.int(t, 0x40)), two("shr", sum, x.int(t, 16)))
	small := with(r, emit.I16)
	if x.t.Bits == 256 { // nothing is above 16 bits, so saturation narrows
		return x.op("bitcast", "", r, x.op("sat", "u", small, all))
	}
	return x.op("bitcast", "", r, x.op("trunc", "", small, all))
}
