package amd64

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
		"max": selectArith, "min": selectArith, "imin": selectArith, "imax": selectArith,
		"umulh": selectArith, "popcnt": selectCount, "clz": selectCount,
		"fma": selectFMA, "round": selectRound,
		"shl": selectShift, "shr": selectShift, "sar": selectShift,
		"cmp": selectCmp, "select": selectSelect, "maskbits": selectMaskBits, "maskof": selectMaskOf,
		"bitcast": selectBitcast, "recast": selectBitcast, "cvt": selectCvt, "sext": selectWiden, "zext": selectWiden,
		"trunc": selectNarrow, "sat": selectNarrow,
		"splat": selectSplat, "table": selectTable, "shuffle": selectShuffle, "addp": selectAddp,
		"load": selectLoad, "loadm": selectLoad, "loadb": selectLoad, "store": selectStore, "storem": selectStore,
		"prefetch": selectPrefetch,
	}
}

// suffix is PS, PD, SS or SD.
func suffix(t emit.Type) string {
	s := "S"
	if t.Lanes > 1 {
		s = "P"
	}
	if t.Elem == emit.F64 {
		return s + "D"
	}
	return s + "S"
}

// letter is how instructions on integers spell the width of e.
func letter(e emit.Elem) string {
	return map[int]string{8: "B", 16: "W", 32: "D", 64: "Q"}[e.Bits()]
}

// full reports whether e is one of the floats that amd64 computes on.
func full(e emit.Elem) bool { return e == emit.F32 || e == emit.F64 }

// broadcast is the mnemonic that repeats one element in every lane of t.
func broadcast(t emit.Type) string {
	switch {
	case t.Elem == emit.F64 && t.Lanes == 2:
		return "VMOVDDUP" // VBROADCASTSD has no form with a 128-bit result
	case !full(t.Elem):
		return "VPBROADCAST" + letter(t.Elem)
	}
	return "VBROADCAST" + suffix(emit.Scalar(t.Elem))
}

func selectConst(e *emitter, op *emit.Op) error {
	if r := op.Result(); e.Cls[r.ID] != asm.None {
		e.setConst(r, r)
	}
	return nil
}

// setConst puts the constant v into the register of dst.
func (e *emitter) setConst(dst, v *emit.Value) {
	r := e.reg(dst)
	switch {
	case v.Type.Elem.Int() && v.Type.Lanes == 1:
		if v.Op.Attr.Imm == 0 {
			e.Line("XORL %s, %s", r, r)
		} else {
			e.Line("MOVQ $%d, %s", v.Op.Attr.Imm, r)
		}
	case asm.IsZero(v):
		if strings.HasPrefix(r, "Z") {
			e.Line("VPXORD %s, %s, %s", r, r, r)
		} else {
			e.Line("VXORPS %s, %s, %s", r, r, r)
		}
	default:
		mnemonic := broadcast(v.Type)
		if v.Type.Lanes == 1 {
			mnemonic = "VMOV" + suffix(v.Type)
		}
		e.Line("%s %s, %s", mnemonic, e.pool(v), r)
	}
}

// pool returns the address of a constant element in read-only data.
func (e *emitter) pool(v *emit.Value) string { return e.File.Pool(v) + "(SB)" }

func selectParam(e *emitter, op *emit.Op) error {
	r, a, src := op.Result(), e.F.Arg(op.Attr.Name), e.field(op)
	switch {
	case r.Type.Elem == emit.I1:
		return fmt.Errorf("cannot load a %v field", a.Type)
	case r.Type.Lanes > 1:
		e.Line("%s %s, %s", broadcast(r.Type), src, e.reg(r))
	default:
		e.Line("%s %s, %s", scalarLoad(r.Type), src, e.reg(r))
	}
	return nil
}

// field spells where the argument block has a parameter.
func (e *emitter) field(op *emit.Op) string {
	return fmt.Sprintf("%d(%s)", e.F.Arg(op.Attr.Name).Offset, argReg)
}

func selectCopy(e *emitter, op *emit.Op) error {
	e.Copy(op.Result(), op.Args[0])
	return nil
}

func (e *emitter) moveReg(c asm.Class, dst, src string) {
	switch c {
	case asm.GPR:
		e.Line("MOVQ %s, %s", src, dst)
	case asm.Mask:
		e.Line("KMOVQ %s, %s", src, dst)
	default:
		e.Line("VMOVAPS %s, %s", src, dst)
	}
}

func selectInst(e *emitter, op *emit.Op) error {
	if from := op.Args; len(from) == 1 && asm.IsMask(from[0].Type) && op.Inst == asm.Cuts[asm.MaskShape{Lanes: from[0].Type.Lanes, Bits: asm.MadeBits[op.Inst]}] {
		e.cutMask(op)
		return nil
	}
	if asm.IsSpill(op) {
		e.spillText(op)
		return nil
	}
	text := op.Inst.Text["amd64"]
	if text == "" {
		return fmt.Errorf("%s is not an amd64 instruction", op.Inst.Name)
	}
	if !provides(e.T, op.Inst.Needs) {
		return fmt.Errorf("%s needs %s, which %s is not", op.Inst.Name, strings.ReplaceAll(op.Inst.Needs, " ", " or "), e.T.Name)
	}
	switch op.Inst {
	case inst.Scratch:
		text = fmt.Sprintf("LEAQ %d(SP), {0}", e.ScratchAt(op))
	case asm.TailTable:
		e.File.Tails = true
	}
	names := []string{"{imm}", fmt.Sprint(op.Attr.Imm)}
	for i, n := range inst.TilesIn(op.Attr.Imm) {
		names = append(names, fmt.Sprintf("{t%d}", i), fmt.Sprintf("T%d", n))
	}
	for i, v := range append(append([]*emit.Value(nil), op.Results...), op.Args...) {
		names = append(names, fmt.Sprintf("{%d}", i), e.reg(v))
	}
	if tied := op.Inst.Tied; len(tied) > 0 && tied[0] >= 0 {
		e.Copy(op.Results[0], op.Args[tied[0]])
	}
	for _, l := range strings.Split(text, "\n") {
		if err := e.spelled(strings.NewReplacer(names...).Replace(l)); err != nil {
			return err
		}
	}
	return nil
}

// selectSplat repeats a scalar; AVX2 does so from vector registers only.
func selectSplat(e *emitter, op *emit.Op) error {
	r, x := op.Result(), op.Args[0]
	src, d := e.reg(x), e.reg(r)
	switch {
	case r.Type.Elem == emit.I1:
		return fmt.Errorf("splat of %v has no row on amd64", x.Type)
	case e.Cls[x.ID] == asm.GPR && e.T.Bits == 256:
		e.Line("VMOVQ %s, %s", src, e.spell(r, 128))
		src = e.spell(r, 128)
	}
	e.Line("%s %s, %s", broadcast(r.Type), src, d)
	return nil
}

func selectShuffle(e *emitter, op *emit.Op) error {
	r := op.Result()
	x := op.Args[0]
	y := op.Args[len(op.Args)-1]
	perm := op.Attr.Perm
	if r.Type != x.Type {
		return fmt.Errorf("shuffles of %v into %v have no row on amd64", x.Type, r.Type)
	}
	m, err := matchShuffle(x.Type, perm, x == y)
	if err != nil {
		return err
	}
	if strings.HasPrefix(m, "VPERM2F128") && max(e.Index(x), e.Index(y), e.Index(r)) > 15 {
		return fmt.Errorf("VPERM2F128 reaches vector registers 0 to 15 only")
	}
	e.Line("%s %s, %s, %s", m, e.reg(y), e.reg(x), e.reg(r))
	return nil
}

func selectAddp(e *emitter, op *emit.Op) error {
	r, p, n := op.Result(), op.Args[0], op.Args[1]
	switch {
	case e.Within != nil && e.Within.Def.Name == "param":
		e.Line("ADDQ %s, %s", e.operand(n), e.reg(r))
	case e.Within != nil:
		by := e.Within
		e.Line("LEAQ (%s)(%s*%d), %s", e.reg(p), e.reg(by.Args[0]), 1<<by.Args[1].Op.Attr.Imm, e.reg(r))
	case immediate(op, 1) && e.Same(r, p):
		e.Line("ADDQ $%d, %s", n.Op.Attr.Imm, e.reg(r))
	case immediate(op, 1):
		e.Line("LEAQ %d(%s), %s", n.Op.Attr.Imm, e.reg(p), e.reg(r))
	case e.Same(r, p):
		e.Line("ADDQ %s, %s", e.reg(n), e.reg(r))
	case e.Same(r, n):
		e.Line("ADDQ %s, %s", e.reg(p), e.reg(r))
	default:
		e.Line("LEAQ (%s)(%s*1), %s", e.reg(p), e.reg(n), e.reg(r))
	}
	return nil
}
