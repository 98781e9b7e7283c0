package emit

import (
	"fmt"
	"math"
	"reflect"
)

// goElems relates Go's types to lanes. The storage types of package dtype join it
// by their names, since they are structs.
var goElems = map[reflect.Kind]Elem{
	reflect.Bool: I1, reflect.Int8: I8, reflect.Int16: I16, reflect.Int32: I32, reflect.Int64: I64,
	reflect.Uint8: I8, reflect.Uint16: I16, reflect.Uint32: I32, reflect.Uint64: I64,
	reflect.Float32: F32, reflect.Float64: F64,
}

var dtypeElems = map[string]Elem{"F16": F16, "BF16": BF16, "F8E4M3": F8E4M3, "F8E5M2": F8E5M2}

// ElemOf returns the element type that holds values of a Go type, or an error if
// there is none.
func ElemOf(t reflect.Type) (Elem, error) {
	if e, ok := goElems[t.Kind()]; ok {
		return e, nil
	}
	if e, ok := dtypeElems[t.Name()]; ok && t.Kind() == reflect.Struct && t.NumField() == 1 {
		return e, nil
	}
	return None, fmt.Errorf("%v has no place in a vector; use bool, intN, uintN, float32, float64 or a type of package dtype", t)
}

// fromBits returns the Go value of type t with a lane's bits.
func fromBits(t reflect.Type, bits uint64) reflect.Value {
	v := reflect.New(t).Elem()
	switch k := t.Kind(); k {
	case reflect.Bool:
		v.SetBool(bits != 0)
	case reflect.Float32:
		v.SetFloat(float64(math.Float32frombits(uint32(bits))))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(bits))
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		shift := 64 - t.Bits()
		v.SetInt(int64(bits<<shift) >> shift)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(bits)
	default: // a struct of package dtype: its one field is the bits, and is not exported
		p := v.Addr().UnsafePointer()
		if t.Size() == 1 {
			*(*uint8)(p) = uint8(bits)
		} else {
			*(*uint16)(p) = uint16(bits)
		}
	}
	return v
}

// toBits is the inverse of fromBits.
func toBits(v reflect.Value) uint64 {
	switch k := v.Kind(); k {
	case reflect.Bool:
		if v.Bool() {
			return 1
		}
		return 0
	case reflect.Float32:
		return uint64(math.Float32bits(float32(v.Float())))
	case reflect.Float64:
		return math.Float64bits(v.Float())
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return uint64(v.Int()) << (64 - v.Type().Bits()) >> (64 - v.Type().Bits())
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return v.Uint()
	}
	return v.Field(0).Uint()
}
