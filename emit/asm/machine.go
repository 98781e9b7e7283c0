package asm

import "github.com/tilesmith/tilesmith/emit"

// Class is a register file.
type Class uint8

// The classes.
const (
	None Class = iota // never in a register: conditions, immediates
	GPR
	Vec
	Mask
)

var classNames = [...]string{"", "general", "vector", "mask"}

// A Machine is what the shared passes ask of an architecture.
type Machine struct {
	Arch string // as [emit.Target] has it
	// Registers is how many registers of a class there are to allocate.
	Registers func(t emit.Target, c Class) int
	// Immediate reports whether operand i of op, a constant, is encoded in the instruction
	// and needs no register. It is not asked about operands that are no constants.
	Immediate func(op *emit.Op, i int) bool
	// Temps lists the classes of the registers that op needs for what it makes on the way.
	Temps func(t emit.Target, op *emit.Op) []Class
	// Clobbers reports whether the result of op must not share a register with operand i:
	// the instruction writes its result before it reads that operand.
	Clobbers func(l *Live, op *emit.Op, i int) bool
	// Ties lists the operands whose register the result of op would best take over, best
	// first.
	Ties func(op *emit.Op) []int
	// Refuses returns why values of type v have no register on t, or "".
	Refuses func(t emit.Target, v emit.Type) string
	// Frame is the size of a frame that holds so many bytes of values; nil: it is as large.
	Frame func(size int) int
	// MaskFile is the class of masks of vectors: they are vectors, or have a file of their own.
	MaskFile func(t emit.Target) Class
}

// File is the class of registers that hold values of type v.
func (m *Machine) File(t emit.Target, v emit.Type) Class {
	switch {
	case IsMask(v):
		return m.MaskFile(t)
	case v.Elem == emit.I1:
		return None
	case v.Lanes > 1 || v.Elem.Float():
		return Vec
	}
	return GPR
}

// immediate reports whether operand i of op is a constant that needs no register.
func (m *Machine) immediate(op *emit.Op, i int) bool {
	return IsConst(op.Args[i]) && m.Immediate(op, i)
}

// IsConst reports whether v is a constant that operations may encode.
func IsConst(v *emit.Value) bool { return v.Op != nil && v.Op.Def.Name == "const" }

// IsZero reports whether v, a constant, has no bit set.
func IsZero(v *emit.Value) bool {
	a := v.Op.Attr
	return a.Imm == 0 && a.F == 0 && !signbit(a.F)
}

// IsCondition reports whether v is a scalar truth value: it lives in the flags and is
// computed again where it is used.
func IsCondition(v *emit.Value) bool { return v.Type == emit.Bool }

// IsMask reports whether t is a mask of a vector.
func IsMask(t emit.Type) bool { return t.Elem == emit.I1 && t.Lanes > 1 }

// Small reports whether v, a constant, is a scalar integer of 32 bits with a sign.
func Small(v *emit.Value) bool {
	return v.Type.Elem.Int() && v.Type.Lanes == 1 && v.Op.Attr.Imm == int64(int32(v.Op.Attr.Imm))
}

// With returns t with other elements.
func With(t emit.Type, e emit.Elem) emit.Type { t.Elem = e; return t }

// NewOp returns an operation that stands for part of old, at its place.
func NewOp(old *emit.Op, name string, at emit.Attr, inst *emit.Instruction, t emit.Type, args ...*emit.Value) *emit.Op {
	op := new(emit.Op)
	*op = *old
	op.Def, op.Attr, op.Inst, op.Args, op.Comment, op.Blocks = emit.Lookup(name), at, inst, args, "", nil
	op.Results = []*emit.Value{{Type: t, Op: op}}
	return op
}
