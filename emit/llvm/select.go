package llvm

import (
	"fmt"
	"math"

	"github.com/llir/llvm/ir/constant"
	llvm "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/tilesmith/tilesmith/emit"
)

// row translates one operation; what it returns is the operation's result, if it has
// one.
type row func(e *emitter, op *emit.Op) (value.Value, error)

// rows is the instruction selection. Operations that own blocks are in control.go, those
// without a row are refused by name.
var rows map[string]row

func init() { // a literal would refer to itself through the emitter's methods
	rows = map[string]row{
		"const": selectConst, "param": selectParam, "copy": selectCopy, "inst": selectInst,
		"add": selectArith, "sub": selectArith, "mul": selectArith, "div": selectArith,
		"and": selectArith, "or": selectArith, "xor": selectArith, "udiv": selectArith, "urem": selectArith,
		"shl": selectArith, "shr": selectArith, "sar": selectArith,
		"table": selectTable, "umulh": selectMulHi, "popcnt": selectBits, "clz": selectBits,
		"fma": selectFMA, "sqrt": selectSqrt, "round": selectRound,
		"max": selectMinMax, "min": selectMinMax, "imax": selectMinMax, "imin": selectMinMax,
		"cmp": selectCmp, "select": selectSelect, "maskn": selectMaskN, "maskbits": selectMaskBits, "maskof": selectMaskOf,
		"bitcast": selectBitcast, "recast": selectBitcast, "cvt": selectCvt,
		"sext": selectResize, "zext": selectResize, "trunc": selectResize, "sat": selectSat,
		"splat": selectSplat, "shuffle": selectShuffle, "addp": selectAddp,
		"load": selectLoad, "loadm": selectLoadMasked, "loadb": selectLoadSplat,
		"store": selectStore, "storem": selectStoreMasked, "prefetch": selectPrefetch,
	}
}

func selectCopy(e *emitter, op *emit.Op) (value.Value, error) { return e.arg(op, 0), nil }

func selectConst(_ *emitter, op *emit.Op) (value.Value, error) {
	t, a := op.Result().Type, op.Attr
	if t.Elem.Float() {
		return splatConst(t, floatConst(t.Elem, a.F)), nil
	}
	return splatConst(t, intConst(t.Elem, a.Imm)), nil
}

// intConst returns n as an e; a truth value is set by any number but 0.
func intConst(e emit.Elem, n int64) constant.Constant {
	if e == emit.I1 {
		return constant.NewBool(n != 0)
	}
	shift := 64 - e.Bits()
	return constant.NewInt(elems[e].(*llvm.IntType), n<<shift>>shift)
}

// floatConst returns x as an e. A NaN, whose text would lose its payload, is made of its
// bits.
func floatConst(e emit.Elem, x float64) constant.Constant {
	bits := int64(e.Encode(x))
	as := map[emit.Elem]emit.Elem{emit.F32: emit.I32, emit.F64: emit.I64}[e]
	switch {
	case as == emit.None:
		return intConst(e, bits)
	case math.IsNaN(x):
		return constant.NewBitCast(intConst(as, bits), elems[e])
	}
	return constant.NewFloat(elems[e].(*llvm.FloatType), x)
}

// splatConst returns c in every lane of t.
func splatConst(t emit.Type, c constant.Constant) constant.Constant {
	if t.Lanes == 1 {
		return c
	}
	lanes := make([]constant.Constant, t.Lanes)
	for i := range lanes {
		lanes[i] = c
	}
	return constant.NewVector(nil, lanes...)
}

func selectParam(e *emitter, op *emit.Op) (value.Value, error) {
	r, a := op.Result(), e.f.Arg(op.Attr.Name)
	at := e.move(e.args, constant.NewInt(llvm.I64, int64(a.Offset)))
	if a.Type.Elem == emit.I1 {
		x := e.at.NewTrunc(e.load(emit.Scalar(emit.I8), at), llvm.I1)
		return e.splat(r.Type, x), nil
	}
	return e.splat(r.Type, e.load(a.Type, at)), nil
}

func selectSplat(e *emitter, op *emit.Op) (value.Value, error) {
	return e.splat(op.Result().Type, e.arg(op, 0)), nil
}

// splat returns the scalar x in every lane of t.
func (e *emitter) splat(t emit.Type, x value.Value) value.Value {
	if t.Lanes == 1 {
		return x
	}
	none := constant.NewUndef(e.typ(t))
	one := e.at.NewInsertElement(none, x, constant.NewInt(llvm.I32, 0))
	return e.at.NewShuffleVector(one, none, constant.NewZeroInitializer(vector(llvm.I32, t.Lanes)))
}

func selectShuffle(e *emitter, op *emit.Op) (value.Value, error) {
	return e.shuffle(e.arg(op, 0), e.arg(op, len(op.Args)-1), op.Attr.Perm), nil
}

// shuffle returns the lanes perm of x and y laid end to end.
func (e *emitter) shuffle(x, y value.Value, perm []int) value.Value {
	mask := make([]constant.Constant, len(perm))
	for i, p := range perm {
		mask[i] = constant.NewInt(llvm.I32, int64(p))
	}
	return e.at.NewShuffleVector(x, y, constant.NewVector(nil, mask...))
}

func selectSelect(e *emitter, op *emit.Op) (value.Value, error) {
	return e.at.NewSelect(e.arg(op, 0), e.arg(op, 1), e.arg(op, 2)), nil
}

// selectMaskN compares the numbers of the lanes with n, in lanes of integers that fill a
// register.
func selectMaskN(e *emitter, op *emit.Op) (value.Value, error) {
	lanes := op.Result().Type.Lanes
	if lanes > 64 {
		return nil, fmt.Errorf("masks on llvm have at most 64 lanes, not %d", lanes)
	}
	bits := 32
	if e.t.Bits > 0 {
		bits = min(max(e.t.Bits/lanes, 8), 64)
	}
	t := emit.Vector(map[int]emit.Elem{8: emit.I8, 16: emit.I16, 32: emit.I32, 64: emit.I64}[bits], lanes)
	if t.Elem == emit.None {
		return nil, fmt.Errorf("masks on %s have a power of two of lanes, not %d", e.t.Name, lanes)
	}
	n := e.arg(op, 0)
	if bits < 64 {
		n = e.at.NewTrunc(n, elems[t.Elem])
	}
	numbers := make([]constant.Constant, lanes)
	for i := range numbers {
		numbers[i] = intConst(t.Elem, int64(i))
	}
	return e.compare(t.Elem, "lt", constant.NewVector(nil, numbers...), e.splat(t, n)), nil
}
