package fn

import (
	"fmt"
	"go/types"
	"reflect"

	"github.com/tilesmith/tilesmith/emit"
)

// Type is the type of a scalar: what one lane holds, and how Go reads it. Go's
// int and uint are Int64 and Uint64, as on every machine that kernels are
// generated for. The last four are structs of package dtype, which only store.
type Type uint8

// The types. The zero Type is invalid.
const (
	Invalid Type = iota
	Bool
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float32
	Float64
	F16
	BF16
	F8E4M3
	F8E5M2
)

var typeTable = [...]struct {
	name string
	elem emit.Elem
	kind types.BasicKind
}{
	Invalid: {"invalid", emit.None, types.Invalid},
	Bool:    {"bool", emit.I1, types.Bool},
	Int8:    {"int8", emit.I8, types.Int8}, Int16: {"int16", emit.I16, types.Int16},
	Int32: {"int32", emit.I32, types.Int32}, Int64: {"int64", emit.I64, types.Int64},
	Uint8: {"uint8", emit.I8, types.Uint8}, Uint16: {"uint16", emit.I16, types.Uint16},
	Uint32: {"uint32", emit.I32, types.Uint32}, Uint64: {"uint64", emit.I64, types.Uint64},
	Float32: {"float32", emit.F32, types.Float32}, Float64: {"float64", emit.F64, types.Float64},
	F16: {"dtype.F16", emit.F16, types.Invalid}, BF16: {"dtype.BF16", emit.BF16, types.Invalid},
	F8E4M3: {"dtype.F8E4M3", emit.F8E4M3, types.Invalid}, F8E5M2: {"dtype.F8E5M2", emit.F8E5M2, types.Invalid},
}

// String returns the type as Go spells it.
func (t Type) String() string {
	if int(t) < len(typeTable) {
		return typeTable[t].name
	}
	return fmt.Sprintf("type(%d)", uint8(t))
}

// Elem returns what a lane of the type is in the IR.
func (t Type) Elem() emit.Elem { return typeTable[t].elem }

// Bits returns the width of the type; a bool has one bit.
func (t Type) Bits() int { return t.Elem().Bits() }

// Float reports whether t is float32 or float64.
func (t Type) Float() bool { return t == Float32 || t == Float64 }

// Storage reports whether t is a type of package dtype, with which nothing is
// computed.
func (t Type) Storage() bool { return t >= F16 }

// Int reports whether t is an integer type, with or without sign.
func (t Type) Int() bool { return Int8 <= t && t <= Uint64 }

// Signed reports whether t is an integer type with sign.
func (t Type) Signed() bool { return Int8 <= t && t <= Int64 }

// goType returns t as go/types has it, the invalid type for those of package dtype.
func (t Type) goType() types.Type { return types.Typ[typeTable[t].kind] }

// ParseType returns the type that Go calls name.
func ParseType(name string) (Type, error) {
	switch name {
	case "int":
		return Int64, nil
	case "uint":
		return Uint64, nil
	case "byte":
		return Uint8, nil
	case "rune":
		return Int32, nil
	}
	for t := Bool; int(t) < len(typeTable); t++ {
		if t.String() == name {
			return t, nil
		}
	}
	return Invalid, fmt.Errorf("%q is not a type of a lane; the types are bool, intN, uintN, float32, float64 and those of package dtype", name)
}

// TypeOf returns the Type of values of the Go type t.
func TypeOf(t reflect.Type) (Type, error) {
	if u := storage(t.PkgPath(), t.Name()); u != Invalid {
		return u, nil
	}
	u, err := ParseType(t.Kind().String())
	if err != nil {
		return Invalid, fmt.Errorf("%v is not a type of a lane; the types are bool, intN, uintN, float32, float64 and those of package dtype", t)
	}
	return u, nil
}

// dtypePath is the package of the types that only store.
const dtypePath = "github.com/tilesmith/tilesmith/layout/dtype"

// storage returns the type of package dtype with a name, Invalid if there is none.
func storage(path, name string) Type {
	for t := F16; path == dtypePath && int(t) < len(typeTable); t++ {
		if t.String() == "dtype."+name {
			return t
		}
	}
	return Invalid
}

// basic returns the Type of a basic type, Invalid if there is none. Untyped
// constants have their default type.
func basic(b *types.Basic) Type {
	switch b.Kind() {
	case types.Int, types.UntypedInt:
		return Int64
	case types.Uint:
		return Uint64
	case types.UntypedBool:
		return Bool
	case types.UntypedRune:
		return Int32
	case types.UntypedFloat:
		return Float64
	case types.Invalid:
		return Invalid
	}
	for t := Bool; int(t) < len(typeTable); t++ {
		if typeTable[t].kind == b.Kind() && !t.Storage() {
			return t
		}
	}
	return Invalid
}
