package tiling

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

func TestRegisters(t *testing.T) {
	for _, c := range []struct {
		regs int
		want Micro
	}{
		{32, Micro{9, 3}}, // AVX-512
		{16, Micro{6, 2}}, // AVX2
		{3, Micro{1, 1}},
	} {
		if got := Registers(c.regs); got != c.want {
			t.Errorf("%d registers: %+v, want %+v", c.regs, got, c.want)
		}
	}
	for regs := 3; regs <= 128; regs++ {
		m := Registers(regs)
		if m.MR < 1 || m.NV < 1 || m.MR*m.NV+m.NV+1 > regs {
			t.Errorf("%d registers: %+v needs %d", regs, m, m.MR*m.NV+m.NV+1)
		}
	}
}

// TestFields: kernels find every field of Args by what Fields says, so the list
// must be the struct.
func TestFields(t *testing.T) {
	s := reflect.TypeFor[Args]()
	fields := Fields()
	if len(fields) != s.NumField() {
		t.Fatalf("%d fields are listed, Args has %d", len(fields), s.NumField())
	}
	for i, f := range fields {
		want := s.Field(i)
		if f.Name != strings.ToLower(want.Name) || f.Offset != int(want.Offset) {
			t.Errorf("field %d is listed as %s at %d, Args has %s at %d", i, f.Name, f.Offset, want.Name, want.Offset)
		}
		if pointer := want.Type.Kind() == reflect.UnsafePointer; f.Pointer != pointer {
			t.Errorf("%s: Pointer is %v", f.Name, f.Pointer)
		}
		if scalar := want.Type.Kind() == reflect.Uint64; f.Scalar != scalar {
			t.Errorf("%s: Scalar is %v", f.Name, f.Scalar)
		}
	}
}

// TestArgsOffsets pins what the committed assembly has as numbers. Whoever changes
// it has to change run.ABI2 too.
func TestArgsOffsets(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("assembly exists for 64-bit machines only")
	}
	for i, f := range Fields() {
		if f.Offset != 8*i {
			t.Errorf("%s is at %d, want %d", f.Name, f.Offset, 8*i)
		}
	}
}
