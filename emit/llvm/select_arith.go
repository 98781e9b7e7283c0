package llvm

import (
	"fmt"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	llvm "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/tilesmith/tilesmith/emit"
)

// computes refuses floats that are only stored and converted.
func computes(t emit.Type) error {
	if t.Elem.Float() && !full(t.Elem) {
		return fmt.Errorf("llvm computes on f32 and f64, not on %v; convert with cvt", t)
	}
	return nil
}

// full reports whether e is a float that is computed with.
func full(e emit.Elem) bool { return e == emit.F32 || e == emit.F64 }

// ints and floats make the instructions of operations on two operands. Integers wrap:
// no instruction promises that they do not. Shift counts and divisors are as the op
// table wants them, or LLVM would call the result poison.
var (
	ints = map[string]func(x, y value.Value) ir.Instruction{
		"add": func(x, y value.Value) ir.Instruction { return ir.NewAdd(x, y) },
		"sub": func(x, y value.Value) ir.Instruction { return ir.NewSub(x, y) },
		"mul": func(x, y value.Value) ir.Instruction { return ir.NewMul(x, y) },
		"and": func(x, y value.Value) ir.Instruction { return ir.NewAnd(x, y) },
		"or":  func(x, y value.Value) ir.Instruction { return ir.NewOr(x, y) },
		"xor": func(x, y value.Value) ir.Instruction { return ir.NewXor(x, y) },
		"shl": func(x, y value.Value) ir.Instruction { return ir.NewShl(x, y) },
		"shr": func(x, y value.Value) ir.Instruction { return ir.NewLShr(x, y) },
		"sar": func(x, y value.Value) ir.Instruction { return ir.NewAShr(x, y) },

		"udiv": func(x, y value.Value) ir.Instruction { return ir.NewUDiv(x, y) },
		"urem": func(x, y value.Value) ir.Instruction { return ir.NewURem(x, y) },
	}
	floats = map[string]func(x, y value.Value) ir.Instruction{
		"add": func(x, y value.Value) ir.Instruction { return ir.NewFAdd(x, y) },
		"sub": func(x, y value.Value) ir.Instruction { return ir.NewFSub(x, y) },
		"mul": func(x, y value.Value) ir.Instruction { return ir.NewFMul(x, y) },
		"div": func(x, y value.Value) ir.Instruction { return ir.NewFDiv(x, y) },
	}
)

func selectArith(e *emitter, op *emit.Op) (value.Value, error) {
	t, list := op.Result().Type, ints
	if t.Elem.Float() {
		list = floats
	}
	i := list[op.Def.Name](e.arg(op, 0), e.arg(op, 1))
	e.at.Insts = append(e.at.Insts, i)
	return i.(value.Value), computes(t)
}

// selectMulHi multiplies in twice the width.
func selectMulHi(e *emitter, op *emit.Op) (value.Value, error) {
	t, bits := op.Result().Type, op.Result().Type.Elem.Bits()
	wide := vector(llvm.NewInt(uint64(2*bits)), t.Lanes)
	product := e.at.NewMul(e.at.NewZExt(e.arg(op, 0), wide), e.at.NewZExt(e.arg(op, 1), wide))
	by := make([]constant.Constant, t.Lanes)
	for i := range by {
		by[i] = constant.NewInt(llvm.NewInt(uint64(2*bits)), int64(bits))
	}
	count := by[0]
	if t.Lanes > 1 {
		count = constant.NewVector(nil, by...)
	}
	return e.at.NewTrunc(e.at.NewLShr(product, count), e.typ(t)), nil
}

// selectBits is llvm.ctpop and llvm.ctlz, whose second operand says that 0 does not give
// poison.
func selectBits(e *emitter, op *emit.Op) (value.Value, error) {
	t := op.Result().Type
	if op.Def.Name == "popcnt" {
		return e.call("llvm.ctpop."+e.mangle(t), e.typ(t), e.arg(op, 0)), nil
	}
	return e.call("llvm.ctlz."+e.mangle(t), e.typ(t), e.arg(op, 0), constant.False), nil
}

// selectFMA is llvm.fma, which rounds once; llvm.fmuladd might not.
func selectFMA(e *emitter, op *emit.Op) (value.Value, error) {
	t := op.Result().Type
	if err := computes(t); err != nil {
		return nil, err
	}
	return e.call("llvm.fma."+e.mangle(t), e.typ(t), e.arg(op, 1), e.arg(op, 2), e.arg(op, 0)), nil
}

func selectSqrt(e *emitter, op *emit.Op) (value.Value, error) {
	t := op.Result().Type
	if err := computes(t); err != nil {
		return nil, err
	}
	return e.call("llvm.sqrt."+e.mangle(t), e.typ(t), e.arg(op, 0)), nil
}

// roundings are LLVM's functions for the modes of round.
var roundings = map[string]string{"floor": "floor", "ceil": "ceil", "trunc": "trunc", "rne": "roundeven"}

func selectRound(e *emitter, op *emit.Op) (value.Value, error) {
	return e.round(op.Attr.Name, op.Result().Type, e.arg(op, 0)), nil
}

func (e *emitter) round(how string, t emit.Type, x value.Value) value.Value {
	return e.call("llvm."+roundings[how]+"."+e.mangle(t), e.typ(t), x)
}

// selectMinMax compares and selects, because that is what min and max mean: the second
// operand for a NaN and for two zeros. llc makes VMAXPS and its like of it.
func selectMinMax(e *emitter, op *emit.Op) (value.Value, error) {
	t, x, y := op.Result().Type, e.arg(op, 0), e.arg(op, 1)
	pred := map[string]string{"max": "gt", "min": "lt", "imax": "gt", "imin": "lt"}[op.Def.Name]
	return e.at.NewSelect(e.compare(t.Elem, pred, x, y), x, y), computes(t)
}

func selectCmp(e *emitter, op *emit.Op) (value.Value, error) {
	t := op.Args[0].Type
	if err := computes(t); err != nil {
		return nil, err
	}
	return e.compare(t.Elem, op.Attr.Name, e.arg(op, 0), e.arg(op, 1)), nil
}

// predicates of integers, of truth values (false below true), and of floats: of a NaN
// only ne holds.
var (
	signedPredicates = map[string]enum.IPred{"eq": enum.IPredEQ, "ne": enum.IPredNE,
		"lt": enum.IPredSLT, "le": enum.IPredSLE, "gt": enum.IPredSGT, "ge": enum.IPredSGE}
	truthPredicates = map[string]enum.IPred{"eq": enum.IPredEQ, "ne": enum.IPredNE,
		"lt": enum.IPredULT, "le": enum.IPredULE, "gt": enum.IPredUGT, "ge": enum.IPredUGE}
	floatPredicates = map[string]enum.FPred{"eq": enum.FPredOEQ, "ne": enum.FPredUNE,
		"lt": enum.FPredOLT, "le": enum.FPredOLE, "gt": enum.FPredOGT, "ge": enum.FPredOGE}
)

func (e *emitter) compare(elem emit.Elem, pred string, x, y value.Value) value.Value {
	switch {
	case elem.Float():
		return e.at.NewFCmp(floatPredicates[pred], x, y)
	case elem == emit.I1:
		return e.at.NewICmp(truthPredicates[pred], x, y)
	}
	return e.at.NewICmp(signedPredicates[pred], x, y)
}
