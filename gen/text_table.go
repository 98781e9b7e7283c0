package gen

import (
	"fmt"
	"reflect"
	"strings"

	tables "github.com/tilesmith/tilesmith/tiling/kernel"
)

// tableText writes the fields of a table of tiling/kernel whose kernels are names, as
// those of the table of functions that run declares: kernel is the functions' type.
// Zeros are left out, and a kernel without a name is nil.
func tableText(table any, kernel string) string {
	var b strings.Builder
	v := reflect.ValueOf(table)
	for i := range v.NumField() {
		f := v.Type().Field(i)
		switch x := v.Field(i); {
		case x.IsZero():
		case tables.Text(f):
			fmt.Fprintf(&b, "%s: %q,\n", f.Name, x)
		default:
			fmt.Fprintf(&b, "%s: %s,\n", f.Name, valueText(x, kernel, true))
		}
	}
	return b.String()
}

// valueText is an expression for a part of a table. The elements of a list need no type.
func valueText(v reflect.Value, kernel string, typed bool) string {
	switch v.Kind() {
	case reflect.Int:
		return fmt.Sprint(v.Int())
	case reflect.String:
		if v.Len() == 0 {
			return "nil"
		}
		return v.String()
	case reflect.Struct:
		return "{" + strings.TrimSuffix(strings.ReplaceAll(tableText(v.Interface(), kernel), ",\n", ", "), ", ") + "}"
	}
	short := v.Type().Elem().Kind() == reflect.String
	var b strings.Builder
	if typed {
		b.WriteString(typeText(v.Type(), kernel))
	}
	b.WriteString("{")
	for i := range v.Len() {
		if i > 0 {
			b.WriteString(",")
		}
		if !short {
			b.WriteString("\n")
		}
		b.WriteString(valueText(v.Index(i), kernel, false))
	}
	if !short {
		b.WriteString(",\n")
	}
	return b.String() + "}"
}

// typeText is the type in package run of a part of a table.
func typeText(t reflect.Type, kernel string) string {
	switch t.Kind() {
	case reflect.Slice:
		return "[]" + typeText(t.Elem(), kernel)
	case reflect.String:
		return kernel
	}
	name, _, _ := strings.Cut(t.Name(), "[") // as the alias is called
	return "run." + name
}

// kernelType is what package run calls functions with an argument block of a type.
func kernelType(block reflect.Type) string {
	return "run." + strings.TrimSuffix(block.Name(), "Args") + "Kernel"
}
