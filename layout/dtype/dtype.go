// Package dtype lists the element types a kernel may have, as a constraint for
// Go generics and as a plain value for everything below them.
//
// Start with [Elem] and [Of]. Go computes with [Float]; the narrow
// floating-point types ([BF16], [F16], [F8E4M3], [F8E5M2]) are storage. They are
// structs, so that an addition or a conversion of one, which would work on its
// bits, does not compile: convert with ToBF16 and Float32, and their like. == on
// them compares bits: it takes +0 and -0 for different and a NaN for equal to
// itself.
package dtype

import (
	"fmt"
	"strings"

	"golang.org/x/exp/constraints"
)

// Elem is every Go type that may be the element of a matrix. It is a list, since [Of]
// knows a type by its name: what is merely made of a float32 is none of them.
type Elem interface {
	float32 | float64 | F16 | BF16 | F8E4M3 | F8E5M2 | int8 | int32
}

// Float is every Elem with which Go computes in floating point.
type Float interface {
	Elem
	constraints.Float
}

// Type is an element type as a value: what is left of a Go type parameter once
// a spec has been lowered. The zero Type is invalid.
type Type uint8

// The element types. F16 and its like are the Go types themselves, so their
// Types have longer names.
const (
	Invalid    Type = iota
	F32             // IEEE 754 binary32
	F64             // IEEE 754 binary64
	TypeF16         // IEEE 754 binary16
	TypeBF16        // bfloat16, the upper half of a binary32
	TypeF8E4M3      // OCP 8-bit, 4 exponent bits, no infinities
	TypeF8E5M2      // OCP 8-bit, 5 exponent bits
	I8              // 8-bit two's complement
	I32             // 32-bit two's complement
)

var table = [...]struct {
	name, goName string
	size         int
}{
	Invalid:    {"invalid", "invalid", 0},
	F32:        {"f32", "float32", 4},
	F64:        {"f64", "float64", 8},
	TypeF16:    {"f16", "dtype.F16", 2},
	TypeBF16:   {"bf16", "dtype.BF16", 2},
	TypeF8E4M3: {"e4m3", "dtype.F8E4M3", 1},
	TypeF8E5M2: {"e5m2", "dtype.F8E5M2", 1},
	I8:         {"i8", "int8", 1},
	I32:        {"i32", "int32", 4},
}

// Of returns the Type of the type parameter T.
func Of[T Elem]() Type {
	var z T
	switch any(z).(type) {
	case float32:
		return F32
	case float64:
		return F64
	case F16:
		return TypeF16
	case BF16:
		return TypeBF16
	case F8E4M3:
		return TypeF8E4M3
	case F8E5M2:
		return TypeF8E5M2
	case int8:
		return I8
	case int32:
		return I32
	}
	return Invalid // unreachable: Elem is closed
}

// Parse returns the Type whose short name is s, as in "f32".
func Parse(s string) (Type, error) {
	var known []string
	for i, e := range table[1:] {
		if e.name == s {
			return Type(i + 1), nil
		}
		known = append(known, e.name)
	}
	last := len(known) - 1
	return Invalid, fmt.Errorf("dtype: unknown element type %q; known are %s and %s", s, strings.Join(known[:last], ", "), known[last])
}

// String returns the short name, as in "f32".
func (t Type) String() string {
	if int(t) < len(table) {
		return table[t].name
	}
	return fmt.Sprintf("dtype(%d)", uint8(t))
}

// Go returns the name of the type in Go source, as in "float32" or "dtype.BF16".
func (t Type) Go() string { return table[t].goName }

// Size returns the size of one element in bytes.
func (t Type) Size() int { return table[t].size }
