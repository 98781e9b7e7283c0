package llctest

import (
	"reflect"
	"runtime"
	"strings"
	"unsafe"

	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Replace returns a copy of a table of kernels with llc's in the place of ours. A kernel
// is known by the name of its stub.
func Replace[K any](o *Opinion, table *K) *K {
	out := reflect.New(reflect.TypeFor[K]())
	o.copy(out.Elem(), reflect.ValueOf(table).Elem())
	return out.Interface().(*K)
}

// Kernels returns the table of a module with llc's kernels.
func Kernels(o *Opinion, m *simd.Module) *kernel.Kernels {
	k := &kernel.Kernels{ISA: m.Target.Name, Flip: m.Flip, FlipCopy: m.FlipCopy}
	for _, c := range []struct {
		to   **kernel.Table[kernel.Func[kernel.Args]]
		from *kernel.Table[string]
	}{{&k.Table, &m.Table}, {&k.Pack, &m.Pack}, {&k.PackA, m.PackA}, {&k.Widening, m.Widening}, {&k.Triangles, m.Triangles}} {
		o.copy(reflect.ValueOf(c.to).Elem(), reflect.ValueOf(c.from))
	}
	if m.Epi != "" {
		o.set(reflect.ValueOf(&k.Epi).Elem(), m.Epi)
		k.EpiLanes = m.EpiLanes
	}
	return k
}

// copy copies a table, of functions or of their names.
func (o *Opinion) copy(to, from reflect.Value) {
	switch to.Kind() {
	case reflect.Func:
		switch {
		case from.Kind() == reflect.String && from.Len() > 0:
			o.set(to, from.String())
		case from.Kind() == reflect.Func && !from.IsNil():
			name := runtime.FuncForPC(from.Pointer()).Name()
			o.set(to, name[strings.LastIndex(name, ".")+1:])
		}
	case reflect.Pointer:
		if from.IsNil() {
			return
		}
		to.Set(reflect.New(to.Type().Elem()))
		o.copy(to.Elem(), from.Elem())
	case reflect.Slice:
		if from.IsNil() {
			return
		}
		to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			o.copy(to.Index(i), from.Index(i))
		}
	case reflect.Struct:
		for i := range to.NumField() {
			o.copy(to.Field(i), from.Field(i))
		}
	default:
		to.Set(from)
	}
}

// set makes a stub of the function called name. Those of dense products, which are
// timed, do without reflection.
func (o *Opinion) set(to reflect.Value, name string) {
	f := o.Call(name)
	switch p := to.Addr().Interface().(type) {
	case *kernel.Func[kernel.Args]:
		*p = func(args *kernel.Args) { f(unsafe.Pointer(args)) }
	default:
		to.Set(reflect.MakeFunc(to.Type(), func(args []reflect.Value) []reflect.Value {
			f(args[0].UnsafePointer())
			return nil
		}))
	}
}
