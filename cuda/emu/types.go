package emu

import (
	"fmt"
	"slices"
)

// A class is what the bits of a type stand for.
type class uint8

const (
	classBits class = iota
	classUnsigned
	classSigned
	classFloat
	classPred
	classOpaque // a texture, a sampler or a surface, which are not executed
)

// A typ is a type of PTX. A packed type such as f16x2 is one register of its size.
type typ struct {
	name  string
	class class
	size  int // bytes; 0 for pred
}

func (t typ) String() string { return "." + t.name }
func (t typ) bits() int      { return 8 * t.size }
func (t typ) signed() bool   { return t.class == classSigned }
func (t typ) float() bool    { return t.class == classFloat }
func (t typ) integer() bool  { return t.class == classUnsigned || t.class == classSigned }
func (t typ) half() bool     { return t.is("f16", "bf16") || t.packed() }
func (t typ) packed() bool   { return t.is("f16x2", "bf16x2") }
func (t typ) is(names ...string) bool {
	return slices.Contains(names, t.name)
}

// types are those of ISA 5.2. tf32 and the packed 8-bit floats are types of
// instructions only; registers that hold them are .b32 and .b16.
var types = map[string]typ{
	"pred": {"pred", classPred, 0},
	"b8":   {"b8", classBits, 1}, "b16": {"b16", classBits, 2}, "b32": {"b32", classBits, 4}, "b64": {"b64", classBits, 8}, "b128": {"b128", classBits, 16},
	"u8": {"u8", classUnsigned, 1}, "u16": {"u16", classUnsigned, 2}, "u32": {"u32", classUnsigned, 4}, "u64": {"u64", classUnsigned, 8},
	"s8": {"s8", classSigned, 1}, "s16": {"s16", classSigned, 2}, "s32": {"s32", classSigned, 4}, "s64": {"s64", classSigned, 8},
	"f16": {"f16", classFloat, 2}, "f32": {"f32", classFloat, 4}, "f64": {"f64", classFloat, 8},
	"bf16": {"bf16", classBits, 2}, "tf32": {"tf32", classBits, 4},
	"f16x2": {"f16x2", classFloat, 4}, "bf16x2": {"bf16x2", classBits, 4},
	"e4m3": {"e4m3", classBits, 1}, "e5m2": {"e5m2", classBits, 1},
	"e4m3x2": {"e4m3x2", classBits, 2}, "e5m2x2": {"e5m2x2", classBits, 2},
	"texref": {"texref", classOpaque, 8}, "samplerref": {"samplerref", classOpaque, 8}, "surfref": {"surfref", classOpaque, 8},
}

// bitsOf is the type of bits of a size, without a name if there is none.
func bitsOf(size int) typ { return types[fmt.Sprint("b", 8*size)] }

// A space is a state space.
type space uint8

const (
	spaceGeneric space = iota
	spaceReg
	spaceParam
	spaceGlobal
	spaceConst
	spaceShared
	spaceLocal
)

var spaceNames = [...]string{"generic", "register", "param", "global", "const", "shared", "local"}

func (s space) String() string {
	if int(s) < len(spaceNames) {
		return spaceNames[s]
	}
	return fmt.Sprintf("space(%d)", s)
}

// spaces are the state spaces as instructions and declarations spell them.
var spaces = map[string]space{
	".reg": spaceReg, ".param": spaceParam, ".param::entry": spaceParam, ".param::func": spaceParam,
	".global": spaceGlobal, ".const": spaceConst,
	".shared": spaceShared, ".shared::cta": spaceShared, ".shared::cluster": spaceShared, ".local": spaceLocal,
}
