package kernel

import (
	"fmt"
	"iter"
	"reflect"
)

// Text reports whether a field of a table is text, such as the ISA, also where kernels
// are names: its tag says so.
func Text(f reflect.StructField) bool { return f.Tag.Get("kernel") == "text" }

// Names yields the kernels of a table of names, given as a pointer. For each it yields
// the place, as in "Full[2]", and the name, "" if there is none. You may set the name.
func Names(table any) iter.Seq2[string, *string] {
	return func(yield func(string, *string) bool) { names(reflect.ValueOf(table).Elem(), "", yield) }
}

func names(v reflect.Value, at string, yield func(string, *string) bool) bool {
	switch v.Kind() {
	case reflect.String:
		return yield(at, v.Addr().Interface().(*string))
	case reflect.Slice:
		for i := range v.Len() {
			if !names(v.Index(i), fmt.Sprintf("%s[%d]", at, i), yield) {
				return false
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			to := f.Name
			if at != "" {
				to = at + "." + to
			}
			if !Text(f) && !names(v.Field(i), to, yield) {
				return false
			}
		}
	}
	return true
}
