package ptx

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// class is a type of register.
type class uint8

const (
	pred class = iota
	b16
	b32
	b64
	f32
	f64
)

// classes are the spellings: how names begin, what .reg and mov say, and bits.
var classes = [...]struct {
	prefix, kind string
	bits         int
}{
	pred: {"%p", "pred", 1}, b16: {"%h", "b16", 16}, b32: {"%r", "b32", 32}, b64: {"%rd", "b64", 64},
	f32: {"%f", "f32", 32}, f64: {"%fd", "f64", 64},
}

func (c class) String() string { return classes[c].kind }

// registers returns which registers hold a t, and how many.
//
//	i1                     a predicate a lane
//	i8  i16  f8  f16 bf16  together in 32 bits if they fill them, the first in the low
//	                       ones; two i8 or f8 in 16 bits; else 16 bits a lane
//	i32 f32 i64 f64        one a lane
//	pointers               32 bits in shared memory, else 64
//
// An i8 that has a register to itself is zero above its 8 bits.
func registers(t emit.Type) (c class, n int) {
	c, n = oneRegister(t)
	return c, n * max(t.Regs, 1)
}

func oneRegister(t emit.Type) (class, int) {
	switch bits := t.Elem.Bits(); {
	case t.Ptr && t.Space == emit.Shared:
		return b32, 1
	case t.Ptr:
		return b64, 1
	case t.Elem == emit.I1:
		return pred, t.Lanes
	case t.Elem == emit.F32:
		return f32, t.Lanes
	case t.Elem == emit.F64:
		return f64, t.Lanes
	case bits == 64:
		return b64, t.Lanes
	case bits == 32:
		return b32, t.Lanes
	case bits*t.Lanes%32 == 0:
		return b32, bits * t.Lanes / 32
	case bits*t.Lanes == 16:
		return b16, 1
	}
	return b16, t.Lanes
}

// packed returns how many lanes of a t lie in one register.
func packed(t emit.Type) int {
	if t.Ptr {
		return 1
	}
	_, n := oneRegister(t)
	return t.Lanes / n
}

// immediate returns register k of a t that holds the lane bits everywhere, as an
// operand.
func immediate(t emit.Type, lane uint64) string {
	c, _ := registers(t)
	for n, bits := packed(t), t.Elem.Bits(); n > 1; n /= 2 {
		lane |= lane << bits
		bits *= 2
	}
	switch c {
	case pred:
		return fmt.Sprint(-int64(lane & 1))
	case f32:
		return fmt.Sprintf("0f%08X", uint32(lane))
	case f64:
		return fmt.Sprintf("0d%016X", lane)
	case b64:
		return fmt.Sprint(int64(lane))
	case b32:
		if t.Elem != emit.I32 {
			return fmt.Sprintf("0x%08X", uint32(lane))
		}
		return fmt.Sprint(int32(lane))
	}
	if t.Elem == emit.I16 && packed(t) == 1 {
		return fmt.Sprint(int16(lane))
	}
	return fmt.Sprintf("0x%04X", uint16(lane))
}

// constLane returns the bits that the constant v has in every lane.
func constLane(v *emit.Value) uint64 {
	e := v.Type.Elem
	if e.Float() {
		return e.Encode(v.Op.Attr.F)
	}
	n := uint64(v.Op.Attr.Imm)
	switch {
	case e == emit.I1 && n != 0:
		return 1
	case e.Bits() < 64:
		return n & (1<<e.Bits() - 1)
	}
	return n
}

func isConst(v *emit.Value) bool { return v.Op != nil && v.Op.Def.Name == "const" }

// intConst returns the number that v is known to be.
func intConst(v *emit.Value) (int64, bool) {
	if !isConst(v) || !v.Type.Elem.Int() || v.Type.Lanes != 1 || v.Type.Regs > 0 {
		return 0, false
	}
	n := 64 - v.Type.Elem.Bits()
	return int64(constLane(v)<<n) >> n, true
}
