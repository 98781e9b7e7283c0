package arm64

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// general lists the numbers of the general registers that hold values, in the order of
// allocation.
var general = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 19, 20, 21, 22, 23, 24, 25}

// Registers that hold no value for longer than a row of the selection. A linker's veneer may
// change tmp and tmp2, but stands at calls only, and kernels call nothing.
const (
	argReg = 0
	tmp    = 16
	tmp2   = 17
	tmp3   = 26
)

// frameStart is where a frame's values begin. The assembler keeps the return address below.
const frameStart = 16

// shared is what the passes of package asm ask of arm64.
var shared = &asm.Machine{Arch: "arm64", Registers: registers, Immediate: immediates, Temps: temps, Clobbers: clobbers, Ties: ties, Refuses: noRegister,
	MaskFile: func(emit.Target) asm.Class { return asm.Vec },
	Frame: func(size int) int {
		if size == 0 {
			return 0
		}
		return (size+15)&^15 + frameStart - 8 // and 8 bytes of the return address
	}}

func registers(t emit.Target, c asm.Class) int {
	switch c {
	case asm.GPR:
		return len(general)
	case asm.Vec:
		return t.Regs
	}
	return 0
}

// noRegister returns why values of type v have no register on t, or "".
func noRegister(t emit.Target, v emit.Type) string {
	switch {
	case v.Regs > 0 || v.Async:
		return "a register is one value on arm64"
	case v.Ptr && v.Space != emit.Generic:
		return "a CPU has one address space"
	case asm.IsMask(v) && v.Lanes != 2 && v.Lanes != 4 && v.Lanes != 8 && v.Lanes != 16:
		return fmt.Sprintf("masks on %s have 2, 4, 8 or 16 lanes", t.Name)
	case v.Ptr, v.Elem == emit.I1:
		return ""
	case v.Elem == emit.F8E4M3 || v.Elem == emit.F8E5M2:
		return "arm64 has no 8-bit floats"
	case v.Lanes == 1 && (v.Elem == emit.F16 || v.Elem == emit.BF16):
		return "16-bit floats are in vectors only on arm64"
	case v.Lanes == 1:
		return ""
	}
	if b := v.Bits(); b == 32 || b == 64 || b == 128 {
		return ""
	}
	return fmt.Sprintf("vectors on %s have 32, 64 or 128 bits", t.Name)
}

// num returns the number of v's register.
func (e *emitter) num(v *emit.Value) int {
	w := e.Webs[e.Find(v.ID)]
	switch {
	case w.Reg < 0:
		return -1
	case w.Cls == asm.GPR:
		return general[w.Reg]
	}
	return w.Reg
}

// x, w and r spell general registers: as the manual does, of 64 and 32 bits, and as Go does.
func (e *emitter) x(v *emit.Value) string { return fmt.Sprintf("x%d", e.num(v)) }
func (e *emitter) w(v *emit.Value) string { return fmt.Sprintf("w%d", e.num(v)) }
func (e *emitter) r(v *emit.Value) string { return fmt.Sprintf("R%d", e.num(v)) }

// f spells a vector register as Go does.
func (e *emitter) f(v *emit.Value) string { return fmt.Sprintf("F%d", e.num(v)) }

// scalar spells the low end of a vector register of so many bits: "s3".
func scalar(bits, n int) string {
	return fmt.Sprintf("%s%d", map[int]string{8: "b", 16: "h", 32: "s", 64: "d", 128: "q"}[bits], n)
}

// lanes spells vector register n with lanes of so many bits, in all 128 or in the low 64.
func lanes(bits, n int, all bool) string {
	size := 64
	if all {
		size = 128
	}
	return fmt.Sprintf("v%d.%d%s", n, size/bits, letters[bits])
}

// lane spells one lane of register n.
func lane(bits, n, i int) string { return fmt.Sprintf("v%d.%s[%d]", n, letters[bits], i) }

// letters is how the widths of lanes are spelt.
var letters = map[int]string{8: "b", 16: "h", 32: "s", 64: "d"}

// v spells v as lanes of its type; a mask as wide as it is.
func (e *emitter) v(v *emit.Value) string { return e.as(v, laneBits(e.T, v)) }

// as spells v as lanes of so many bits.
func (e *emitter) as(v *emit.Value, bits int) string {
	return lanes(bits, e.num(v), v.Type.Lanes*laneBits(e.T, v) > 64)
}

// bytes spells the registers of v as bytes, all of them.
func (e *emitter) bytes(v *emit.Value) string { return lanes(8, e.num(v), true) }

// laneBits returns how wide v's lanes are.
func laneBits(t emit.Target, v *emit.Value) int {
	if asm.IsMask(v.Type) {
		return asm.MaskBits(t, v)
	}
	return v.Type.Elem.Bits()
}

// fp spells v as the scalar or the vector that it is.
func (e *emitter) fp(v *emit.Value) string {
	if v.Type.Lanes == 1 {
		return scalar(v.Type.Bits(), e.num(v))
	}
	return e.v(v)
}
