package llctest

import (
	"reflect"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gemm"
)

// Replace returns a copy of a table of kernels with llc's in the place of ours. A kernel
// is known by the name of its stub.
func Replace[K any](o *Opinion, table *K) *K {
	out := reflect.New(reflect.TypeFor[K]())
	o.copy(out.Elem(), reflect.ValueOf(table).Elem())
	return out.Interface().(*K)
}

// Kernels returns the table of a module with llc's kernels. Fields of the two types with
// one name belong together.
func Kernels(o *Opinion, m *gemm.Module) *run.Kernels {
	k := &run.Kernels{ISA: m.Target.Name, MR: m.Tile.MR, NV: m.Tile.NV, VL: m.VL}
	to, from := reflect.ValueOf(k).Elem(), reflect.ValueOf(m).Elem()
	for i := range to.NumField() {
		if f := from.FieldByName(to.Type().Field(i).Name); f.IsValid() {
			o.copy(to.Field(i), f)
		}
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
			f := from.FieldByName(to.Type().Field(i).Name)
			if !f.IsValid() { // the name of a function that has a tile
				f = from.FieldByName("Name")
			}
			o.copy(to.Field(i), f)
		}
	default:
		to.Set(from)
	}
}

var blocks = sync.Pool{New: func() any { return new(run.Args) }}

// set makes a stub of the function called name. Those of dense products, which are
// timed, do without reflection.
func (o *Opinion) set(to reflect.Value, name string) {
	f := o.Call(name)
	switch p := to.Addr().Interface().(type) {
	case *run.Kernel:
		*p = func(args *run.Args) { // a small product's are on the stack, which moves on the way to C
			block := blocks.Get().(*run.Args)
			*block = *args
			f(unsafe.Pointer(block))
			*block = run.Args{}
			blocks.Put(block)
		}
	default:
		to.Set(reflect.MakeFunc(to.Type(), func(args []reflect.Value) []reflect.Value {
			f(args[0].UnsafePointer())
			return nil
		}))
	}
}
