package arm64

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// expansions replace what a target has no single instruction for.
var expansions = asm.Expansions{
	"const": expandConst, "maskn": asm.MaskN, "select": expandSelect, "max": expandExtreme, "min": expandExtreme,
	"imin": expandMinMax, "imax": expandMinMax, "cvt": expandCvt,
}

// legalize replaces operations that need several instructions by those.
func legalize(t emit.Target, f *emit.Func) error {
	if err := expansions.Legalize(t, f); err != nil {
		return err
	}
	asm.CutMasks(t, f)
	return nil
}

// expandConst makes constant masks.
func expandConst(x *asm.Expansion) *emit.Value {
	if !asm.IsMask(x.Old.Result().Type) {
		return nil
	}
	return asm.ConstMask(x)
}

// expandSelect chooses between masks by logic.
func expandSelect(x *asm.Expansion) *emit.Value {
	if !asm.IsMask(x.Old.Result().Type) {
		return nil
	}
	return asm.SelectMask(x)
}

// expandExtreme compares: FMAX would make a NaN of one that is an operand.
func expandExtreme(x *asm.Expansion) *emit.Value {
	r, a := x.Old.Result().Type, x.Old.Args
	if r.Lanes == 1 {
		return nil
	}
	pred := map[string]string{"min": "lt", "max": "gt"}[x.Old.Def.Name]
	return x.Op("select", "", r, x.Op("cmp", pred, r.Mask(), a...), a[0], a[1])
}

// expandMinMax compares in general registers, and lanes of 64 bits.
func expandMinMax(x *asm.Expansion) *emit.Value {
	if r := x.Old.Result().Type; r.Lanes > 1 && r.Elem != emit.I64 {
		return nil
	}
	return asm.MinMax(x)
}

// expandCvt goes by 32 bits, and to integers by instructions that saturate.
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
		return x.Op("cvt", x.Old.Attr.Name, r, x.Op("cvt", "rne", asm.With(r, emit.F32), v))
	case from == emit.BF16:
		return asm.WidenBF16(x, v, r)
	case to == emit.BF16 && from == emit.F32:
		return asm.RoundBF16(x, v, r, false)
	case from == emit.I32 && to == emit.F64:
		return x.Op("cvt", "rne", r, x.Op("sext", "", asm.With(r, emit.I64), v))
	case from == emit.F32 && to == emit.I64: // exact
		return x.Op("cvt", x.Old.Attr.Name, r, x.Op("cvt", "rne", asm.With(r, emit.F64), v))
	case full(from) && (to == emit.I32 || to == emit.I64):
		return toInt(x, v, r)
	}
	return nil
}

// toInt converts to integers as wide, which become the nearest number where they do not hold
// the float, and zero for a NaN. Both become the least number, if they are not that already:
// floats below are.
func toInt(x *asm.Expansion, v *emit.Value, r emit.Type) *emit.Value {
	wide := asm.With(r, map[int]emit.Elem{32: emit.I32, 64: emit.I64}[v.Type.Elem.Bits()])
	n := x.Inst(saturating[convertKey{v.Type, x.Old.Attr.Name}], v)
	least := int64(math.MinInt32)
	if r.Elem == emit.I64 {
		least = math.MinInt64
	}
	number := x.Op("cmp", "eq", v.Type.Mask(), v, v)
	if wide.Elem == r.Elem {
		below := x.Op("cmp", "lt", v.Type.Mask(), v, x.Float(v.Type, -float64(least)))
		return x.Op("select", "", r, below, n, x.Int(r, least)) // a NaN is not below
	}
	above := x.Op("cmp", "lt", wide.Mask(), n, x.Int(wide, -least))
	fits := x.Op("and", "", wide.Mask(), number, above)
	return x.Op("select", "", r, fits, x.Op("sat", "s", r, n), x.Int(r, least))
}
