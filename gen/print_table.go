package gen

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// tableText writes a table of tiling/kernel whose kernels are names as that of the
// functions. Zeros are left out, and a kernel without a name
// is nil.
func tableText(t unit.Table) (string, error) {
	p := &tablePrinter{Table: t}
	if t.Value == nil {
		return "", p.refuse(t.Value)
	}
	if k, ok := t.Value.(kernel.Table[string]); ok && !k.Sorted() {
		return "", fmt.Errorf("entries of a table for %s do not lie by form, operations last; sort it", k.ISA)
	}
	return p.value(reflect.ValueOf(t.Value), true), p.err
}

type tablePrinter struct {
	unit.Table
	err error
}

// refuse notes that v cannot be part of a table.
func (t *tablePrinter) refuse(v any) error {
	t.err = fmt.Errorf("a %T is not a part of a table: that is of structs, slices, integers, constants with names, and strings", v)
	return t.err
}

// fields writes those of a struct that are not zero, each before end.
func (t *tablePrinter) fields(v reflect.Value, end string) string {
	var b strings.Builder
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		switch {
		case !f.CanInterface():
			t.refuse(v.Interface())
			return ""
		case f.IsZero():
		case kernel.Text(v.Type().Field(i)):
			fmt.Fprintf(&b, "%s: %q%s", name, f, end)
		default:
			fmt.Fprintf(&b, "%s: %s%s", name, t.value(f, true), end)
		}
	}
	return b.String()
}

// value is an expression for a part of a table. The elements of a list need no type.
func (t *tablePrinter) value(v reflect.Value, typed bool) string {
	name := ""
	if typed {
		name = t.typ(v.Type())
	}
	if c, ok := v.Interface().(fmt.Stringer); ok { // a constant
		return "kernel." + c.String()
	}
	switch v.Kind() {
	case reflect.Int:
		return fmt.Sprint(v.Int())
	case reflect.String:
		if v.Len() == 0 {
			return "nil"
		}
		return v.String()
	case reflect.Struct:
		if typed {
			return name + "{\n" + t.fields(v, ",\n") + "}"
		}
		return "{" + strings.TrimSuffix(t.fields(v, ", "), ", ") + "}"
	case reflect.Slice:
		return name + t.list(v)
	}
	t.refuse(v.Interface())
	return ""
}

// list is the elements of a slice: names on one line, others on one each.
func (t *tablePrinter) list(v reflect.Value) string {
	end := ""
	if v.Type().Elem().Kind() != reflect.String {
		end = "\n"
	}
	var b strings.Builder
	for i := range v.Len() {
		if i > 0 {
			b.WriteString("," + end)
		}
		b.WriteString(t.value(v.Index(i), false))
	}
	if end != "" {
		return "{\n" + b.String() + ",\n}"
	}
	return "{" + b.String() + "}"
}

// typ is the type of a part of a table.
func (t *tablePrinter) typ(of reflect.Type) string {
	switch of.Kind() {
	case reflect.Slice:
		return "[]" + t.typ(of.Elem())
	case reflect.String:
		return t.Kernel
	}
	return unit.Table{Kernel: t.Kernel, Value: reflect.Zero(of).Interface()}.Type()
}
