package llvm

import (
	"fmt"
	"math"

	llvm "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/tilesmith/tilesmith/emit"
)

// with returns t with other elements.
func with(t emit.Type, e emit.Elem) emit.Type { t.Elem = e; return t }

// selectBitcast is nothing where both types are held as the same integer.
func selectBitcast(e *emitter, op *emit.Op) (value.Value, error) {
	return e.bitcast(e.arg(op, 0), e.typ(op.Result().Type)), nil
}

func (e *emitter) bitcast(x value.Value, to llvm.Type) value.Value {
	if x.Type().Equal(to) {
		return x
	}
	return e.at.NewBitCast(x, to)
}

func selectResize(e *emitter, op *emit.Op) (value.Value, error) {
	x, to := e.arg(op, 0), e.typ(op.Result().Type)
	switch op.Def.Name {
	case "sext":
		return e.at.NewSExt(x, to), nil
	case "zext":
		return e.at.NewZExt(x, to), nil
	}
	return e.at.NewTrunc(x, to), nil
}

// selectSat clamps before it narrows.
func selectSat(e *emitter, op *emit.Op) (value.Value, error) {
	from, to := op.Args[0].Type, op.Result().Type
	lo, hi := int64(0), int64(1)<<to.Elem.Bits()-1
	if op.Attr.Name == "s" {
		lo, hi = -1<<(to.Elem.Bits()-1), 1<<(to.Elem.Bits()-1)-1
	}
	x := e.arg(op, 0)
	clamp := func(pred string, n int64) {
		c := splatConst(from, intConst(from.Elem, n))
		x = e.at.NewSelect(e.compare(from.Elem, pred, x, c), x, c)
	}
	clamp("gt", lo)
	clamp("lt", hi)
	return e.at.NewTrunc(x, e.typ(to)), nil
}

func selectCvt(e *emitter, op *emit.Op) (value.Value, error) {
	x, t, to := e.arg(op, 0), op.Args[0].Type, op.Result().Type
	refused := fmt.Errorf("conversion of %v to %v has no row on llvm", t, to)
	switch t.Elem { // exact, so that what follows rounds once
	case emit.F16:
		x, t = e.at.NewFPExt(e.bitcast(x, vector(llvm.Half, t.Lanes)), e.typ(with(t, emit.F32))), with(t, emit.F32)
	case emit.BF16:
		x, t = e.widenBF16(t, x), with(t, emit.F32)
	case emit.F8E4M3, emit.F8E5M2:
		return nil, refused
	}
	from, r := t.Elem, e.typ(to)
	switch {
	case t == to:
		return x, nil
	case from.Int():
		return e.at.NewSIToFP(x, r), nil
	case to.Elem == emit.F64:
		return e.at.NewFPExt(x, r), nil
	case to.Elem == emit.F32:
		return e.at.NewFPTrunc(x, r), nil
	case to.Elem.Int():
		return e.floatToInt(op.Attr.Name, t, to, x), nil
	case from == emit.F32 && to.Elem == emit.F16:
		return e.bitcast(e.at.NewFPTrunc(x, vector(llvm.Half, to.Lanes)), r), nil
	case from == emit.F32 && to.Elem == emit.BF16:
		return e.roundBF16(t, x), nil
	}
	return nil, refused
}

// floatToInt rounds x and makes it an integer. A number that does not fit, which is
// poison to LLVM, becomes 0 first and the least number afterwards.
func (e *emitter) floatToInt(how string, from, to emit.Type, x value.Value) value.Value {
	limit := math.Ldexp(1, to.Elem.Bits()-1)
	if how == "rne" {
		x = e.round(how, from, x)
	}
	low := e.compare(from.Elem, "ge", x, splatConst(from, floatConst(from.Elem, -limit)))
	high := e.compare(from.Elem, "lt", x, splatConst(from, floatConst(from.Elem, limit)))
	fits := e.at.NewAnd(low, high)
	safe := e.at.NewSelect(fits, x, splatConst(from, floatConst(from.Elem, 0)))
	least := splatConst(to, intConst(to.Elem, math.MinInt64>>(64-to.Elem.Bits())))
	return e.at.NewSelect(fits, e.at.NewFPToSI(safe, e.typ(to)), least)
}

// widenBF16 makes f32 of the bits of bf16, which are the upper half.
func (e *emitter) widenBF16(t emit.Type, x value.Value) value.Value {
	i := with(t, emit.I32)
	wide := e.at.NewShl(e.at.NewZExt(x, e.typ(i)), splatConst(i, intConst(emit.I32, 16)))
	return e.bitcast(wide, e.typ(with(t, emit.F32)))
}

// roundBF16 rounds f32 to bf16 in integers, because the instruction takes denormals for
// zeros. Below the last place it adds half a unit less one, and that place's bit. A NaN
// keeps its high bits and is made quiet.
func (e *emitter) roundBF16(t emit.Type, x value.Value) value.Value {
	i := with(t, emit.I32)
	c := func(n int64) value.Value { return splatConst(i, intConst(emit.I32, n)) }
	bits := e.bitcast(x, e.typ(i))
	high := e.at.NewLShr(bits, c(16))
	odd := e.at.NewAnd(high, c(1))
	sum := e.at.NewLShr(e.at.NewAdd(e.at.NewAdd(bits, odd), c(0x7fff)), c(16))
	nan := e.compare(emit.F32, "ne", x, x)
	all := e.at.NewSelect(nan, e.at.NewOr(high, c(0x40)), sum)
	return e.at.NewTrunc(all, e.typ(with(t, emit.BF16)))
}
