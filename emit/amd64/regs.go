package amd64

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// The register files, in the order of allocation. DI holds the argument block;
// BP and SP are the Go runtime's. R14 and R15 are free to ABI0 assembly, whose
// wrappers restore them, and come last all the same.
var gprs = []string{"AX", "CX", "DX", "BX", "SI", "R8", "R9", "R10", "R11", "R12", "R13", "R15", "R14"}

const argReg = "DI"

// shared is what the passes of package asm ask of amd64.
var shared = &asm.Machine{Arch: "amd64", Registers: registers, Immediate: immediates, Temps: temps, Clobbers: clobbers, Ties: ties, Refuses: noRegister,
	MaskFile: func(t emit.Target) asm.Class {
		if t.Bits == 512 {
			return asm.Mask
		}
		return asm.Vec
	}}

// registers returns how many registers a class has on the target. K0 means "no
// mask", so seven mask registers remain.
func registers(t emit.Target, c asm.Class) int {
	switch c {
	case asm.GPR:
		return len(gprs)
	case asm.Vec:
		return t.Regs
	case asm.Mask:
		return 7
	}
	return 0
}

// noRegister returns why values of type v have no register on t, or "".
func noRegister(t emit.Target, v emit.Type) string {
	switch {
	case v.Regs > 0 || v.Async:
		return "a register is one value on amd64"
	case v.Ptr && v.Space != emit.Generic:
		return "a CPU has one address space"
	case v.Ptr, v.Elem == emit.I1:
		return ""
	case v.Elem == emit.F8E4M3 || v.Elem == emit.F8E5M2:
		return "amd64 has no 8-bit floats"
	case v.Lanes == 1 && (v.Elem == emit.F16 || v.Elem == emit.BF16):
		return "amd64 has 16-bit floats in vectors only"
	case v.Lanes == 1:
		return ""
	}
	for bits := 32; bits <= t.Bits; bits *= 2 {
		if v.Bits() == bits {
			return ""
		}
	}
	return fmt.Sprintf("vectors on %s have 32 bits or a multiple by a power of two, at most %d", t.Name, t.Bits)
}

// reg returns the register of v, spelt for its type.
func (e *emitter) reg(v *emit.Value) string {
	w := e.Webs[e.Find(v.ID)]
	if w.Reg < 0 {
		return fmt.Sprintf("<none:%d>", v.ID)
	}
	switch w.Cls {
	case asm.GPR:
		return gprs[w.Reg]
	case asm.Mask:
		return fmt.Sprintf("K%d", w.Reg+1)
	}
	return vectorName(w.Reg, vectorBits(e.T, v))
}

// spell returns the vector register of v as one of that many bits.
func (e *emitter) spell(v *emit.Value, bits int) string { return vectorName(e.Index(v), bits) }

// vectorBits returns how many bits v has in a vector register.
func vectorBits(t emit.Target, v *emit.Value) int {
	if asm.IsMask(v.Type) { // on AVX2
		return v.Type.Lanes * asm.MaskBits(t, v)
	}
	return v.Type.Bits()
}

// vectorName spells vector register r for a value of that many bits.
func vectorName(r, bits int) string {
	switch {
	case bits == 512:
		return fmt.Sprintf("Z%d", r)
	case bits == 256:
		return fmt.Sprintf("Y%d", r)
	}
	return fmt.Sprintf("X%d", r)
}
