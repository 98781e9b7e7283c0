// Package dtype lists the element types a kernel may have, as a constraint for
// Go generics and as a plain value for everything below them.
//
// Start with [Elem] and [Of]. Go computes with [Float]; the narrow
// floating-point types ([BF16], [F16], [F8E4M3], [F8E5M2]) are storage. They are
// structs, so that adding or converting one, which would act on its bits, does
// not compile: convert with ToBF16, Float32 and the like. == compares their bits:
// +0 and -0 differ, and a NaN equals itself.
package dtype

import (
	"fmt"
	"reflect"
	"strings"

	"golang.org/x/exp/constraints"
)

// Elem is every Go type that may be the element of a matrix. It is a list, since [Of]
// knows a type by its name. A type defined as float32 is not in it.
type Elem interface {
	float32 | float64 | F16 | BF16 | F8E4M3 | F8E5M2 | int8 | int32 | uint8 | int16 | complex64 | complex128
}

// Float is every Elem with which Go computes in floating point.
type Float interface {
	Elem
	constraints.Float
}

// Number is every Elem with its own kernels of the ordinary product: real numbers, and complex
// ones, whose real and imaginary parts are adjacent.
type Number interface {
	Elem
	float32 | float64 | complex64 | complex128
}

// Value is every type of numbers of Go that a sparse matrix may hold. SciPy and GraphBLAS have
// the same, and booleans, which are patterns here. Integers wrap as Go's do. Types that are also
// an Elem have kernels.
type Value interface {
	float32 | float64 | complex64 | complex128 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Any is every type that a dense matrix may hold, for a kernel or for products with a
// sparse matrix.
type Any interface {
	Elem | Value
}

// Sum is every Elem that products are summed in. Sums of integers wrap, as Go's int32 does.
type Sum interface {
	Elem
	float32 | float64 | int32
}

// AnySum is a Sum, or complex.
type AnySum interface {
	Elem
	float32 | float64 | int32 | complex64 | complex128
}

// Type is an element type as a value: what is left of a Go type parameter once
// a spec has been lowered. The zero Type is invalid.
type Type uint8

// The element types. F16 and others are names of Go types, so their Types have longer
// names.
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
	U8              // 8 bits without sign
	I16             // 16-bit two's complement
	C64             // two F32: the real part, and the imaginary one
	C128            // two F64
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
	U8:         {"u8", "uint8", 1},
	I16:        {"i16", "int16", 2},
	C64:        {"c64", "complex64", 8},
	C128:       {"c128", "complex128", 16},
}

// Of returns the Type of the type parameter T.
func Of[T Elem]() Type { return of((*T)(nil)) }

// of is compiled once, and not into every generic function that asks.
//
//go:noinline
func of(pointer any) Type {
	switch pointer.(type) {
	case *float32:
		return F32
	case *float64:
		return F64
	case *F16:
		return TypeF16
	case *BF16:
		return TypeBF16
	case *F8E4M3:
		return TypeF8E4M3
	case *F8E5M2:
		return TypeF8E5M2
	case *int8:
		return I8
	case *int32:
		return I32
	case *uint8:
		return U8
	case *int16:
		return I16
	case *complex64:
		return C64
	case *complex128:
		return C128
	}
	return Invalid // unreachable: Elem is closed
}

// Name returns the short name of any type of numbers, as in "f32", "bf16", "i64" or "c128".
func Name[T Any]() string { return nameOf(reflect.TypeFor[T]().String()) }

func nameOf(name string) string {
	for _, e := range table {
		if e.goName == name {
			return e.name
		}
	}
	return name[:1] + strings.TrimLeft(name, "complexintu")
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

// Integer reports whether the elements are integers.
func (t Type) Integer() bool { return I8 <= t && t <= I16 }

// Complex reports whether the elements are pairs of reals.
func (t Type) Complex() bool { return t == C64 || t == C128 }

// Part is the type of the real and the imaginary part of complex elements, and of others t
// itself.
func (t Type) Part() Type {
	switch t {
	case C64:
		return F32
	case C128:
		return F64
	}
	return t
}

// Size returns the size of one element in bytes.
func (t Type) Size() int { return table[t].size }
