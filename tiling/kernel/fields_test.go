package kernel

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

// pinned are the offsets that committed assembly has as numbers. Whoever changes one has
// to change run's ABI constant too.
var pinned = map[string]int{
	"Args.a": 0, "Args.b": 8, "Args.c": 16, "Args.rsa": 24, "Args.csa": 32, "Args.ldb": 40, "Args.ldc": 48, "Args.k": 56, "Args.tiles": 64,
	"Args.n": 72, "Args.mode": 80, "Args.alpha": 88, "Args.beta": 96, "Args.stepa": 104, "Args.stepb": 112, "Args.stepc": 120,
	"EpiArgs.tile": 0, "EpiArgs.tileld": 8, "EpiArgs.vectors": 16, "EpiArgs.rows": 24, "EpiArgs.cols": 32, "EpiArgs.p0": 40, "EpiArgs.rs0": 48, "EpiArgs.cs0": 56, "EpiArgs.p11": 304,
	"FixedArgs.out": 0, "FixedArgs.a": 8, "FixedArgs.b": 16, "FixedArgs.count": 24, "FixedArgs.outstride": 32, "FixedArgs.astride": 40, "FixedArgs.bstride": 48,
	"SparseArgs.pointers": 0, "SparseArgs.ldb": 40, "SparseArgs.alpha": 88, "SparseArgs.from": 168,
	"SparseArgs.to": 176, "SparseArgs.pointers0": 192, "SparseArgs.size0": 208, "SparseArgs.pointers3": 264,
	"EpiArgs.m32": 328, "EpiArgs.block": 360, "EpiArgs.lanes": 392, "EpiArgs.row": 400,
	"VectorArgs.a": 0, "VectorArgs.s": 24, "VectorArgs.out": 40, "VectorArgs.lda": 48, "VectorArgs.tiles": 64, "VectorArgs.ldout": 72,
	"BlocksArgs.c": 0, "BlocksArgs.count": 88, "BlocksArgs.panel": 168,
	"Dropout.counters0": 0, "Dropout.low": 64, "Dropout.keys0": 80, "Dropout.limit": 240, "Dropout.scale": 248,
}

// TestFields: offsets are those of machines with words of 8 bytes, whatever machine runs
// the test, and on such a machine those of the struct.
func TestFields(t *testing.T) {
	found := map[string]int{}
	check := func(block any, fields []Field) {
		s := reflect.TypeOf(block)
		for i, f := range fields {
			found[s.Name()+"."+f.Name] = f.Offset
			if f.Offset != 8*i {
				t.Errorf("%s.%s is at %d, want %d", s.Name(), f.Name, f.Offset, 8*i)
			}
			if f.Pointer && f.Scalar {
				t.Errorf("%s.%s is a pointer and a scalar", s.Name(), f.Name)
			}
		}
		if int(unsafe.Sizeof(uintptr(0))) != word {
			return
		}
		if end := fields[len(fields)-1].Offset + word; end != int(s.Size()) {
			t.Errorf("fields of %s end at %d, it has %d bytes", s.Name(), end, s.Size())
		}
		for i := range s.NumField() {
			f := s.Field(i)
			name := strings.ToLower(f.Name)
			if f.Type.Kind() == reflect.Array && f.Type.Elem().Kind() != reflect.Struct {
				name += "0"
			} else if f.Type.Kind() == reflect.Array {
				name = strings.ToLower(f.Type.Elem().Field(0).Name) + "0"
			}
			if at, ok := found[s.Name()+"."+name]; !ok || at != int(f.Offset) {
				t.Errorf("%s.%s is listed at %d (%v), want %d", s.Name(), name, at, ok, f.Offset)
			}
		}
	}
	check(Args{}, Fields[Args]())
	check(EpiArgs{}, Fields[EpiArgs]())
	check(FixedArgs{}, Fields[FixedArgs]())
	check(SparseArgs{}, Fields[SparseArgs]())
	check(VectorArgs{}, Fields[VectorArgs]())
	check(BlocksArgs{}, Fields[BlocksArgs]())
	check(Dropout{}, Fields[Dropout]())
	for name, want := range pinned {
		if have, ok := found[name]; !ok || have != want {
			t.Errorf("%s is at %d (%v), want %d", name, have, ok, want)
		}
	}
	if p := Fields[Args]()[0]; !p.Pointer || p.Scalar {
		t.Errorf("a is %+v", p)
	}
}

func TestRefusedFields(t *testing.T) {
	type odd struct{ A int32 }
	defer func() {
		if have, want := fmt.Sprint(recover()), "kernel: field A of kernel.odd is a int32, which assembly does not read"; have != want {
			t.Errorf("panic %q, want %q", have, want)
		}
	}()
	Fields[odd]()
}
