package amd64

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// The expansions of elementwise operations on vectors.

// expandCmp: AVX2 compares integers for equal and greater only.
func expandCmp(x *asm.Expansion) *emit.Value {
	t, r := x.Old.Args[0].Type, x.Old.Result().Type
	not := map[string]string{"ne": "eq", "le": "gt", "ge": "lt"}[x.Old.Attr.Name]
	if x.T.Bits == 512 || t.Lanes == 1 || !t.Elem.Int() || not == "" {
		return nil
	}
	return x.Op("xor", "", r, x.Op("cmp", not, r, x.Old.Args...), x.Int(r, 1))
}

// expandSelect chooses between masks by logic.
func expandSelect(x *asm.Expansion) *emit.Value {
	if !asm.IsMask(x.Old.Result().Type) {
		return nil
	}
	return asm.SelectMask(x)
}

// expandSar: AVX2 has no arithmetic shift of 64 bits. After a logical shift, (v ^ m) -
// m extends the sign, where m is the bit that the sign went to.
func expandSar(x *asm.Expansion) *emit.Value {
	r, v, y := x.Old.Result().Type, x.Old.Args[0], x.Old.Args[1]
	if x.T.Bits == 512 || r.Lanes == 1 || r.Elem != emit.I64 {
		return nil
	}
	var m *emit.Value
	if asm.IsConst(y) {
		m = x.Int(r, math.MinInt64)
		m.Op.Attr.Imm = int64(uint64(1) << 63 >> uint64(y.Op.Attr.Imm))
	} else {
		m = x.Op("shr", "", r, x.Int(r, math.MinInt64), y)
	}
	return x.Op("sub", "", r, x.Op("xor", "", r, x.Op("shr", "", r, v, y), m), m)
}

// expandMinMax compares if there is no instruction: in general registers, and for
// 64-bit lanes of AVX2.
func expandMinMax(x *asm.Expansion) *emit.Value {
	if r := x.Old.Result().Type; r.Lanes > 1 && (r.Elem != emit.I64 || x.T.Bits == 512) {
		return nil
	}
	return asm.MinMax(x)
}

// expandTrunc: AVX2 narrows by saturation only, so the high bits are cleared
// first; 64 bits go to 32 in one step.
func expandTrunc(x *asm.Expansion) *emit.Value {
	v, r := x.Old.Args[0], x.Old.Result().Type
	if x.T.Bits == 512 || r.Lanes == 1 {
		return nil
	}
	if v.Type.Elem == emit.I64 {
		if r.Elem == emit.I32 {
			return nil
		}
		return x.Op("trunc", "", r, x.Op("trunc", "", asm.With(r, emit.I32), v))
	}
	low := x.Op("and", "", v.Type, v, x.Int(v.Type, 1<<r.Elem.Bits()-1))
	return x.Op("sat", "u", r, low)
}

// expandSat: VPMOVUS of AVX-512 takes its operand without sign; AVX2 has none from 64
// bits.
func expandSat(x *asm.Expansion) *emit.Value {
	v, r := x.Old.Args[0], x.Old.Result().Type
	switch {
	case r.Lanes == 1:
		return nil
	case x.T.Bits == 256 && v.Type.Elem == emit.I64:
		lo, hi := int64(0), int64(1)<<r.Elem.Bits()-1
		if x.Old.Attr.Name == "s" {
			lo, hi = -1<<(r.Elem.Bits()-1), 1<<(r.Elem.Bits()-1)-1
		}
		v = x.Op("imin", "", v.Type, x.Op("imax", "", v.Type, v, x.Int(v.Type, lo)), x.Int(v.Type, hi))
		return x.Op("trunc", "", r, v)
	case x.T.Bits == 256 || x.Old.Attr.Name == "s" || notNegative(v):
		return nil
	}
	return x.Op("sat", "u", r, x.Op("imax", "", v.Type, v, x.Int(v.Type, 0)))
}

// notNegative reports whether v is the greater of something and zero.
func notNegative(v *emit.Value) bool {
	return v.Op != nil && v.Op.Def.Name == "imax" && asm.IsConst(v.Op.Args[1]) && v.Op.Args[1].Op.Attr.Imm == 0
}

func expandCvt(x *asm.Expansion) *emit.Value {
	v, r := x.Old.Args[0], x.Old.Result().Type
	from, to := v.Type.Elem, r.Elem
	half := func(e emit.Elem) bool { return e == emit.F16 || e == emit.BF16 }
	switch {
	case r.Lanes == 1:
		return nil
	case from == emit.I8 || from == emit.I16:
		return x.Op("cvt", "rne", r, x.Op("sext", "", asm.With(r, emit.I32), v))
	case half(from) && to != emit.F32: // exact, so two steps are one
		return x.Op("cvt", "rne", r, x.Op("cvt", "rne", asm.With(r, emit.F32), v))
	case from == emit.BF16:
		return asm.WidenBF16(x, v, r)
	case to == emit.BF16 && from == emit.F32:
		return asm.RoundBF16(x, v, r, x.T.Bits == 256)
	case from == emit.I64 && x.T.Bits == 256:
		return fromInt64(x, v, r)
	case to == emit.I64 && x.T.Bits == 256 && full(from):
		return toInt64(x, v, r)
	}
	return nil
}
