// Package dtype lists the element types a kernel may have, as a constraint for
// Go generics and as a plain value for everything below them.
//
// Start with [Elem] and [Of]. The storage-only types (bfloat16, float16, float8)
// join the list together with the kernels that use them.
package dtype

import "fmt"

// Elem is every Go type that may be the element of a matrix.
type Elem interface {
	float32 | float64
}

// Type is an element type as a value: what is left of a Go type parameter once
// a spec has been lowered. The zero Type is invalid.
type Type uint8

// The element types.
const (
	Invalid Type = iota
	F32          // IEEE 754 binary32
	F64          // IEEE 754 binary64
)

var table = [...]struct {
	name, goName string
	size         int
}{
	Invalid: {"invalid", "invalid", 0},
	F32:     {"f32", "float32", 4},
	F64:     {"f64", "float64", 8},
}

// Of returns the Type of the type parameter T.
func Of[T Elem]() Type {
	var z T
	switch any(z).(type) {
	case float32:
		return F32
	case float64:
		return F64
	}
	return Invalid // unreachable: Elem is closed
}

// Parse returns the Type whose short name is s, as in "f32".
func Parse(s string) (Type, error) {
	for i, e := range table[1:] {
		if e.name == s {
			return Type(i + 1), nil
		}
	}
	return Invalid, fmt.Errorf("dtype: unknown element type %q; known are f32 and f64", s)
}

// String returns the short name, as in "f32".
func (t Type) String() string {
	if int(t) < len(table) {
		return table[t].name
	}
	return fmt.Sprintf("dtype(%d)", uint8(t))
}

// Go returns the name of the type in Go source, as in "float32".
func (t Type) Go() string { return table[t].goName }

// Size returns the size of one element in bytes.
func (t Type) Size() int { return table[t].size }
