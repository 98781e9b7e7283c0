package amd64

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// What the operands of instructions ask of registers.

// immediate reports whether operand i of op is a constant that is encoded in the
// instruction and needs no register.
func immediate(op *emit.Op, i int) bool { return asm.IsConst(op.Args[i]) && immediates(op, i) }

// immediates is immediate of constants.
func immediates(op *emit.Op, i int) bool {
	v := op.Args[i]
	small := asm.Small(v)
	switch op.Def.Name {
	case "for":
		// Bounds are compared with or moved; carried values are made in place.
		return i < 3 && small || i >= 3 && (v.Type.Elem.Int() && v.Type.Lanes == 1 || asm.IsZero(v))
	case "yield":
		return v.Type.Elem.Int() && v.Type.Lanes == 1 || asm.IsZero(v)
	case "add", "and", "or", "xor", "mul", "addp":
		return small && i == 1
	case "sub", "cmp":
		return small && i == 1
	case "shl", "shr", "sar":
		return i == 1
	}
	return false
}

// temps lists the classes of the registers that op needs for what it makes on the
// way.
func temps(t emit.Target, op *emit.Op) []asm.Class {
	var v emit.Type
	switch op.Def.Name {
	case "loadm":
		v = op.Result().Type
	case "storem":
		v = op.Args[0].Type
	case "maskbits":
		if t.Bits == 256 && op.Args[0].Type.Lanes == 16 {
			return []asm.Class{asm.GPR}
		}
		return nil
	case "table":
		switch {
		case permutes(t, op) > 0 && op.Result().Type.Lanes > 1:
			return nil
		case t.Bits == 512:
			return []asm.Class{asm.GPR, asm.Mask}
		}
		return []asm.Class{asm.GPR, asm.Vec}
	}
	switch {
	case v.Lanes < 2 || maskedMove(t, v) != "":
		return nil
	case v.Bits() > 128:
		return []asm.Class{asm.GPR, asm.Vec}
	}
	return []asm.Class{asm.GPR}
}

// clobbers reports whether the result of op must not share a register with
// operand i: the instruction writes its result before it reads that operand.
func clobbers(l *asm.Live, op *emit.Op, i int) bool {
	r := op.Result()
	if r == nil || l.Cls[r.ID] != asm.GPR {
		switch op.Def.Name {
		case "table": // a gather wants three registers
			return permutes(l.T, op) == 0
		case "trunc", "sat": // AVX2 takes the halves one after the other
			return l.T.Bits == 256
		case "select": // by a branch
			return r.Type.Lanes == 1 && i < 2
		case "inst": // multi-line texts
			return i > 0 || asm.MadeBits[op.Inst] > 0
		}
		return false
	}
	switch op.Def.Name {
	case "sub", "shl", "shr", "sar":
		return i == 1
	case "select":
		return i < 2
	}
	return op.Inst != nil
}

// ties lists the operands whose register the result of op would best
// take over: required by two-address instructions, best first.
func ties(op *emit.Op) []int {
	switch op.Def.Name {
	case "fma":
		return []int{0, 1, 2}
	case "add", "mul", "and", "or", "xor":
		if op.Result().Type.Lanes == 1 && !op.Result().Type.Elem.Float() {
			return []int{0, 1}
		}
	case "sub", "shl", "shr", "sar", "addp", "copy", "trunc", "zext", "sext":
		return []int{0}
	case "select":
		return []int{2}
	case "inst":
		if len(op.Inst.Tied) > 0 && op.Inst.Tied[0] >= 0 {
			return op.Inst.Tied[:1]
		}
	}
	return nil
}
