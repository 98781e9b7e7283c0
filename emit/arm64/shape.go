package arm64

import (
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// What the operands of instructions ask of registers.

// immediate reports whether operand i of op is a constant that is encoded in the
// instruction, or that Go's assembler makes for it.
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
	case "add", "sub", "and", "or", "xor", "addp", "cmp":
		return small && i == 1
	case "shl", "shr", "sar":
		return i == 1
	}
	return false
}

// temps lists the classes of the registers that op needs for what it makes on the way.
func temps(t emit.Target, op *emit.Op) []asm.Class {
	one := []asm.Class{asm.Vec}
	switch op.Def.Name {
	case "loadm":
		if laneBits(t, op.Args[0])*op.Args[0].Type.Lanes > 64 {
			return one
		}
	case "storem":
		if laneBits(t, op.Args[1])*op.Args[1].Type.Lanes > 64 {
			return one
		}
	case "inst":
		if strings.Contains(op.Inst.Text["arm64"], "{vt}") {
			return one
		}
	case "maskbits", "popcnt":
		return one
	case "maskof":
		return append(one, asm.Vec)
	case "umulh":
		if r := op.Result().Type; r.Lanes > 1 && r.Elem != emit.I64 {
			return one
		}
	case "shuffle":
		if x := op.Args[0]; plainShuffle(x.Type, op.Attr.Perm, x == op.Args[len(op.Args)-1]) == nil {
			return one
		}
	case "cvt":
		if x, r := op.Args[0].Type, op.Result().Type; x.Elem == emit.I64 && r.Elem == emit.F32 && r.Lanes > 1 {
			return one
		}
	}
	return nil
}

// clobbers reports whether the result of op must not share a register with operand i.
func clobbers(_ *asm.Live, op *emit.Op, i int) bool {
	r := op.Result()
	if r == nil {
		return false
	}
	vector := r.Type.Lanes > 1
	switch op.Def.Name {
	case "fma": // after the accumulator is moved
		return vector && i > 0
	case "shr", "sar": // after the counts are negated
		return vector && i == 0 && !immediate(op, 1)
	case "shuffle":
		x := op.Args[0]
		return plainShuffle(x.Type, op.Attr.Perm, x == op.Args[len(op.Args)-1]) == nil
	case "inst": // several lines, or a result that is read and written
		return i != takenOver(op)
	}
	return false
}

// takenOver returns the operand that an instruction changes in place, or a copy of it; -1 if
// there is none.
func takenOver(op *emit.Op) int {
	switch tied := op.Inst.Tied; {
	case ontoCopy[op.Inst]:
		return 0
	case len(tied) > 0:
		return tied[0]
	}
	return -1
}

// ties lists the operands whose register the result of op would best take over: of
// instructions that change a register, best first.
func ties(op *emit.Op) []int {
	switch op.Def.Name {
	case "fma":
		return []int{0}
	case "select":
		if op.Result().Type.Lanes > 1 {
			return []int{0, 2, 1}
		}
		return []int{2, 1}
	case "add", "sub", "shl", "shr", "sar", "addp", "copy", "trunc", "zext", "sext":
		return []int{0}
	case "inst":
		if i := takenOver(op); i >= 0 {
			return []int{i}
		}
	}
	return nil
}
