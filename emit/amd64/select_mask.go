package amd64

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// Comparisons, choices and logic of masks. How masks are held: masks.go.

// floatPreds are the predicates of VCMPPS that are false of a NaN, but for ne,
// and never signal.
var floatPreds = map[string]int{"eq": 0, "lt": 17, "le": 18, "ne": 4, "ge": 29, "gt": 30}

// intPreds are the predicates of VPCMP.
var intPreds = map[string]int{"eq": 0, "lt": 1, "le": 2, "ne": 4, "ge": 5, "gt": 6}

// selectCmp emits nothing for a condition: it is compared where it is used.
func selectCmp(e *emitter, op *emit.Op) error {
	r, x, y := op.Result(), op.Args[0], op.Args[1]
	if asm.IsCondition(r) {
		return nil
	}
	t, pred := x.Type, op.Attr.Name
	switch {
	case t.Elem == emit.I1:
		return fmt.Errorf("comparison of masks has no row on amd64; use and, or, xor")
	case t.Elem.Float():
		if err := computes(t); err != nil {
			return err
		}
		e.Line("VCMP%s $%d, %s, %s, %s", suffix(t), floatPreds[pred], e.reg(y), e.reg(x), e.reg(r))
	case e.T.Bits == 512:
		e.Line("VPCMP%s $%d, %s, %s, %s", letter(t.Elem), intPreds[pred], e.reg(y), e.reg(x), e.reg(r))
	default: // legalize leaves eq, gt and lt
		m := "VPCMPGT"
		if pred == "eq" {
			m = "VPCMPEQ"
		}
		if pred == "lt" {
			x, y = y, x
		}
		e.Line("%s%s %s, %s, %s", m, letter(t.Elem), e.reg(y), e.reg(x), e.reg(r))
	}
	if e.T.Bits == 512 && t.Bits() < 128 { // the lanes past the last were compared too
		e.Line("KSHIFTLW $%d, %s, %s", 16-t.Lanes, e.reg(r), e.reg(r))
		e.Line("KSHIFTRW $%d, %s, %s", 16-t.Lanes, e.reg(r), e.reg(r))
	}
	return nil
}

// selectSelect is a blend of vectors, a conditional move of integers and pointers,
// and a branch for a scalar float.
func selectSelect(e *emitter, op *emit.Op) error {
	r, m, x, y := op.Result(), op.Args[0], op.Args[1], op.Args[2]
	if asm.IsCondition(r) {
		return fmt.Errorf("select of conditions has no row on amd64")
	}
	if r.Type.Lanes > 1 {
		e.blend(op)
		return nil
	}
	e.Copy(r, y)
	cc, err := e.Condition(m)
	if err != nil {
		return err
	}
	if e.Cls[r.ID] == asm.GPR {
		e.Line("CMOVQ%s %s, %s", cc, e.reg(x), e.reg(r))
		return nil
	}
	if !e.Same(r, x) {
		end := e.Label()
		e.Line("J%s %s", asm.Opposite(cc), end)
		e.Copy(r, x)
		e.Mark(end)
	}
	return nil
}

func (e *emitter) blend(op *emit.Op) {
	t := op.Result().Type
	m, x, y, d := e.reg(op.Args[0]), e.reg(op.Args[1]), e.reg(op.Args[2]), e.reg(op.Result())
	switch {
	case e.T.Bits == 512 && full(t.Elem):
		e.Line("VBLENDM%s %s, %s, %s, %s", suffix(t), x, y, m, d)
	case e.T.Bits == 512:
		e.Line("VPBLENDM%s %s, %s, %s, %s", letter(t.Elem), x, y, m, d)
	case full(t.Elem):
		e.Line("VBLENDV%s %s, %s, %s, %s", suffix(t), m, x, y, d)
	default:
		e.Line("VPBLENDVB %s, %s, %s, %s", m, x, y, d)
	}
}

// maskLogic is and, or and xor.
func (e *emitter) maskLogic(op *emit.Op) error {
	r := op.Result()
	m := map[string]string{"and": "AND", "or": "OR", "xor": "XOR"}[op.Def.Name]
	if m == "" {
		return fmt.Errorf("is not defined on %v", r.Type)
	}
	if e.T.Bits == 256 {
		m = "VP" + m
	} else {
		m = "K" + m + kWidth(r.Type.Lanes)
	}
	e.Line("%s %s, %s, %s", m, e.reg(op.Args[1]), e.reg(op.Args[0]), e.reg(r))
	return nil
}

// kWidth is the letter of the narrowest instruction on K registers for a mask.
func kWidth(lanes int) string {
	switch {
	case lanes <= 16:
		return "W"
	case lanes == 32:
		return "D"
	}
	return "Q"
}

// cutMask converts a mask of AVX2 to the width that the instruction makes. Lanes are
// copies of their sign, so sign extension widens and saturation narrows.
func (e *emitter) cutMask(op *emit.Op) {
	from, to := asm.MaskBits(e.T, op.Args[0]), asm.MadeBits[op.Inst]
	if from < to {
		e.Line("VPMOVSX%s%s %s, %s", letters[from], letters[to], e.spell(op.Args[0], 128), e.reg(op.Result()))
		return
	}
	e.narrow(op.Args[0], op.Result(), from, to, "SS")
}

// selectMaskBits gathers lanes in a general register: bits of a K register, on AVX2 signs.
func selectMaskBits(e *emitter, op *emit.Op) error {
	m, d := op.Args[0], e.reg(op.Result())
	lanes := m.Type.Lanes
	if e.T.Bits == 512 {
		e.Line("KMOV%s %s, %s", kWidth(lanes), e.reg(m), d)
		return nil
	}
	bits := asm.Widest(e.T, lanes)
	signs := map[int]string{64: "VMOVMSKPD", 32: "VMOVMSKPS", 16: "VPMOVMSKB", 8: "VPMOVMSKB"}[bits]
	if lanes&(lanes-1) != 0 || lanes > 32 {
		return fmt.Errorf("masks on %s have 2, 4, 8, 16 or 32 lanes", e.T.Name)
	}
	e.Line("%s %s, %s", signs, e.spell(m, lanes*bits), d)
	if bits == 16 { // a lane has the signs of two bytes
		odd := gprs[e.Temp(asm.GPR, op)]
		e.Line("MOVL $0x55555555, %s", odd)
		e.Line("PEXTL %s, %s, %[2]s", odd, d)
	}
	return nil
}

// selectMaskOf makes a mask of AVX2 of bits: each lane looks whether it has its own.
func selectMaskOf(e *emitter, op *emit.Op) error {
	r, lanes := op.Result(), op.Result().Type.Lanes
	bits := asm.Widest(e.T, lanes)
	if lanes&(lanes-1) != 0 || lanes > 16 {
		return fmt.Errorf("masks that are made of bits have 2, 4, 8 or 16 lanes on %s", e.T.Name)
	}
	words := make([]uint64, lanes)
	for i := range words {
		words[i] = 1 << i
	}
	own, d, w := e.File.Table(bits, words), e.spell(r, lanes*bits), letters[bits]
	e.Line("VMOVQ %s, %s", e.reg(op.Args[0]), e.spell(r, 128))
	e.Line("VPBROADCAST%s %s, %s", w, e.spell(r, 128), d)
	e.Line("VPAND %s(SB), %s, %[2]s", own, d)
	e.Line("VPCMPEQ%s %s(SB), %s, %[3]s", w, own, d)
	return nil
}
