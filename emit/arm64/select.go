package arm64

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
	"github.com/tilesmith/tilesmith/emit/inst"
)

// rows is the instruction selection: one row per operation. Control flow is in
// control.go, operations without a row are refused by name.
var rows map[string]func(e *emitter, op *emit.Op) error

func init() { // a literal would refer to itself through the emitter's methods
	rows = map[string]func(e *emitter, op *emit.Op) error{
		"const": selectConst, "param": selectParam, "copy": selectCopy, "inst": selectInst,
		"add": selectArith, "sub": selectArith, "mul": selectArith, "div": selectArith,
		"and": selectArith, "or": selectArith, "xor": selectArith, "sqrt": selectArith,
		"max": selectExtreme, "min": selectExtreme, "imin": selectArith, "imax": selectArith,
		"umulh": selectMulHi, "popcnt": selectOnesCount, "clz": selectLeadingZeros, "udiv": selectDivide, "urem": selectDivide,
		"fma": selectFMA, "round": selectRound,
		"shl": selectShift, "shr": selectShift, "sar": selectShift,
		"cmp": selectCmp, "select": selectSelect, "maskbits": selectMaskBits, "maskof": selectMaskOf,
		"bitcast": selectBitcast, "recast": selectBitcast, "cvt": selectCvt, "sext": selectWiden, "zext": selectWiden,
		"trunc": selectNarrow, "sat": selectNarrow,
		"splat": selectSplat, "table": selectTable, "shuffle": selectShuffle, "addp": selectAddp,
		"load": selectLoad, "loadm": selectLoadMasked, "loadb": selectLoad, "store": selectStore, "storem": selectStoreMasked,
		"prefetch": selectPrefetch,
	}
}

// full reports whether e is one of the floats that arm64 computes on.
func full(e emit.Elem) bool { return e == emit.F32 || e == emit.F64 }

func selectConst(e *emitter, op *emit.Op) error {
	if r := op.Result(); e.Cls[r.ID] != asm.None {
		e.Const(r, r)
	}
	return nil
}

// Const puts the constant v into the register of dst. Its bits go through a general
// register, which takes less than their address would, unless one instruction has them.
func (e *emitter) Const(dst, v *emit.Value) {
	if e.Cls[dst.ID] == asm.GPR {
		e.Line("MOVD $%d, %s", v.Op.Attr.Imm, e.r(dst))
		return
	}
	n, size, bits := e.num(dst), v.Type.Elem.Bits(), asm.Bits(v)
	if asm.IsZero(v) {
		e.Line("VEOR V%[1]d.B16, V%[1]d.B16, V%[1]d.B16", n)
		return
	}
	switch from := map[bool]string{true: "x", false: "w"}[size == 64]; {
	case v.Type.Lanes == 1:
		e.Line("MOVD $%d, R%d", int64(bits), tmp)
		e.neon("fmov %s, %s%d", scalar(size, n), from, tmp)
	case size == 8:
		e.neon("movi %s, #%d", lanes(8, n, true), bits)
	case full(v.Type.Elem) && shortFloat(v.Op.Attr.F):
		e.neon("fmov %s, #%#.8f", lanes(size, n, v.Type.Bits() > 64), v.Op.Attr.F)
	default:
		e.Line("MOVD $%d, R%d", int64(bits), tmp)
		e.neon("dup %s, %s%d", lanes(size, n, v.Type.Bits() > 64), from, tmp)
	}
}

// shortFloat reports whether an instruction has x: four bits of fraction, and exponents of
// -3 to 4 (DDI 0487, VFPExpandImm).
func shortFloat(x float64) bool {
	for exp := -3; exp <= 4; exp++ {
		for frac := 16; frac < 32; frac++ {
			if y := float64(frac) / 16 * pow2(exp); x == y || x == -y {
				return true
			}
		}
	}
	return false
}

func pow2(n int) float64 {
	if n < 0 {
		return 1 / float64(int(1)<<-n)
	}
	return float64(int(1) << n)
}

func selectParam(e *emitter, op *emit.Op) error {
	r, a := op.Result(), e.F.Arg(op.Attr.Name)
	switch {
	case r.Type.Elem == emit.I1:
		return fmt.Errorf("cannot load a %v field", a.Type)
	case r.Type.Lanes > 1:
		e.Line("ADD $%d, R%d, R%d", a.Offset, argReg, tmp)
		e.neon("ld1r {%s}, [x%d]", e.v(r), tmp)
	default:
		e.Line("%s %d(R%d), %s", scalarLoad(r.Type), a.Offset, argReg, e.goReg(r))
	}
	return nil
}

// goReg spells a register as Go does.
func (e *emitter) goReg(v *emit.Value) string {
	if e.Cls[v.ID] == asm.GPR {
		return e.r(v)
	}
	return e.f(v)
}

func selectCopy(e *emitter, op *emit.Op) error {
	e.Copy(op.Result(), op.Args[0])
	return nil
}

// selectInst spells an instruction: of each line what begins with a small letter is
// package neon's, the rest Go's. {0} is the register of the first result as Go spells it,
// {x0}, {w0}, {v0}, {s0}, {d0} and {q0} as the manual does.
func selectInst(e *emitter, op *emit.Op) error {
	if cut, ok := e.cutMask(op); ok {
		return cut
	}
	if asm.IsSpill(op) {
		e.spillText(op)
		return nil
	}
	text := op.Inst.Text["arm64"]
	switch op.Inst {
	case inst.Scratch:
		text = fmt.Sprintf("ADD $%d, RSP, {0}", e.ScratchAt(op)+frameStart)
	case asm.TailTable:
		e.File.Tails = true
	}
	if text == "" {
		return fmt.Errorf("%s is not an arm64 instruction", op.Inst.Name)
	}
	if !provides(e.T, op.Inst.Needs) {
		return fmt.Errorf("%s needs %s, which %s is not", op.Inst.Name, strings.ReplaceAll(op.Inst.Needs, " ", " or "), e.T.Name)
	}
	names := []string{"{imm}", fmt.Sprint(op.Attr.Imm)}
	if size := loadBytes[op.Inst]; size > 0 {
		names = append(names, "{at}", goAddress(e.near(e.num(op.Args[0]), op.Attr.Imm, size)))
	}
	for i, v := range append(append([]*emit.Value(nil), op.Results...), op.Args...) {
		names = append(names, fmt.Sprintf("{%d}", i), e.goReg(v))
		for _, k := range "xwvsdqhb" {
			names = append(names, fmt.Sprintf("{%c%d}", k, i), fmt.Sprintf("%c%d", k, e.num(v)))
		}
	}
	if strings.Contains(text, "{vt}") {
		names = append(names, "{vt}", fmt.Sprintf("v%d", e.Temp(asm.Vec, op)))
	}
	if i := takenOver(op); i >= 0 {
		e.Copy(op.Results[0], op.Args[i])
	}
	for l := range strings.SplitSeq(text, "\n") {
		e.spelled(strings.NewReplacer(names...).Replace(l))
	}
	return nil
}

// spelled prints one line of an instruction's text.
func (e *emitter) spelled(l string) {
	if l[0] >= 'a' {
		e.neon("%s", l)
	} else {
		e.Line("%s", l)
	}
}

func selectSplat(e *emitter, op *emit.Op) error {
	r, x := op.Result(), op.Args[0]
	switch {
	case r.Type.Elem == emit.I1:
		return fmt.Errorf("splat of %v has no row on arm64", x.Type)
	case e.Cls[x.ID] != asm.GPR:
		e.neon("dup %s, %s", e.v(r), lane(x.Type.Bits(), e.num(x), 0))
	case x.Type.Bits() == 64:
		e.neon("dup %s, %s", e.v(r), e.x(x))
	default:
		e.neon("dup %s, %s", e.v(r), e.w(x))
	}
	return nil
}

func selectAddp(e *emitter, op *emit.Op) error {
	r, p, n := op.Result(), op.Args[0], op.Args[1]
	switch {
	case e.Within != nil:
		e.Line("ADD %s, %s, %s", shifted(e.num(e.Within.Args[0]), int(e.Within.Args[1].Op.Attr.Imm)), e.r(p), e.r(r))
	case immediate(op, 1):
		e.Line("ADD $%d, %s, %s", n.Op.Attr.Imm, e.r(p), e.r(r))
	default:
		e.Line("ADD %s, %s, %s", e.r(n), e.r(p), e.r(r))
	}
	return nil
}

// spillText spells the move of a value between its register and the frame.
func (e *emitter) spillText(op *emit.Op) {
	place := fmt.Sprintf("%d(RSP)", op.Attr.Imm+frameStart)
	if asm.IsSlot(op.Result()) {
		e.Line("FMOVQ %s, %s", e.f(op.Args[0]), place)
	} else {
		e.Line("FMOVQ %s, %s", place, e.f(op.Result()))
	}
}
