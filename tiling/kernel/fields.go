package kernel

import (
	"fmt"
	"reflect"
	"strings"
)

// Field is one field of an argument block, for code that writes kernels.
type Field struct {
	Name    string // in lower case; of element 2 of an array, with a 2 at the end
	Offset  int
	Pointer bool
	Scalar  bool // has the accumulator's type
}

// word is the size of a pointer and of an integer on every machine that kernels are
// written for. The machine that writes them may have others: a generator on 386 too
// writes for amd64.
const word = 8

// Fields lists the fields of an argument block in order. Blocks consist of pointers,
// int64, uint64 (a scalar), structs and arrays of such.
func Fields[Block any]() []Field {
	fields, _ := appendFields(nil, reflect.TypeFor[Block](), 0, "")
	return fields
}

func appendFields(list []Field, t reflect.Type, at int, suffix string) ([]Field, int) {
	for i := range t.NumField() {
		f := t.Field(i)
		n, elem := 1, f.Type
		if elem.Kind() == reflect.Array {
			n, elem = elem.Len(), elem.Elem()
		}
		for k := range n {
			end := suffix
			if elem != f.Type {
				end += fmt.Sprint(k)
			}
			switch elem.Kind() {
			case reflect.Struct:
				list, at = appendFields(list, elem, at, end)
			case reflect.UnsafePointer, reflect.Pointer, reflect.Int64, reflect.Uint64:
				list = append(list, Field{strings.ToLower(f.Name) + end, at, elem.Kind() == reflect.UnsafePointer || elem.Kind() == reflect.Pointer, elem.Kind() == reflect.Uint64})
				at += word
			default:
				panic(fmt.Sprintf("kernel: field %s of %v is a %v, which assembly does not read", f.Name, t, elem))
			}
		}
	}
	return list, at
}

// Offset returns the offset of a field by its name. It panics if there is none.
func Offset[Block any](name string) int {
	for _, f := range Fields[Block]() {
		if f.Name == name {
			return f.Offset
		}
	}
	panic(fmt.Sprintf("kernel: %v has no field %s", reflect.TypeFor[Block](), name))
}
