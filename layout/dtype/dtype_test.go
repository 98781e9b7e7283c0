package dtype

import (
	"reflect"
	"testing"
	"unsafe"
)

// row is what the functions of this package say of one type.
type row struct {
	got      Type
	name, in string
	size     int
	inMemory uintptr
}

func rowOf[T Elem](name, in string) row {
	var z T
	return row{Of[T](), name, in, int(unsafe.Sizeof(z)), unsafe.Sizeof([2]T{}) / 2}
}

func TestTypes(t *testing.T) {
	rows := []row{
		rowOf[float32]("f32", "float32"), rowOf[float64]("f64", "float64"),
		rowOf[F16]("f16", "dtype.F16"), rowOf[BF16]("bf16", "dtype.BF16"),
		rowOf[F8E4M3]("e4m3", "dtype.F8E4M3"), rowOf[F8E5M2]("e5m2", "dtype.F8E5M2"),
		rowOf[int8]("i8", "int8"), rowOf[int32]("i32", "int32"),
		rowOf[uint8]("u8", "uint8"), rowOf[int16]("i16", "int16"),
		rowOf[complex64]("c64", "complex64"), rowOf[complex128]("c128", "complex128"),
	}
	for i, c := range rows {
		if c.got != Type(i+1) {
			t.Errorf("Of[%s] is %v, number %d, want %d", c.in, c.got, c.got, i+1)
		}
		if c.got.String() != c.name || c.got.Go() != c.in || c.got.Size() != c.size || c.inMemory != uintptr(c.size) {
			t.Errorf("%v: in Go %s, %d bytes; want %s, %s, %d", c.got, c.got.Go(), c.got.Size(), c.name, c.in, c.size)
		}
		if back, err := Parse(c.name); back != c.got || err != nil {
			t.Errorf("Parse(%q) = %v, %v", c.name, back, err)
		}
	}
	if len(rows) != len(table)-1 {
		t.Errorf("%d types, %d in the table", len(rows), len(table)-1)
	}
}

func TestParseErrors(t *testing.T) {
	for _, s := range []string{"", "f", "BF16", "F32", "float32", "invalid", "f32 ", "f8"} {
		switch got, err := Parse(s); {
		case err == nil:
			t.Errorf("Parse(%q) = %v", s, got)
		case got != Invalid:
			t.Errorf("Parse(%q) = %v with an error", s, got)
		}
	}
	_, err := Parse("f17")
	if want := `dtype: unknown element type "f17"; known are f32, f64, f16, bf16, e4m3, e5m2, i8, i32, u8, i16, c64 and c128`; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}

func TestInvalid(t *testing.T) {
	var zero Type
	if zero != Invalid || zero.String() != "invalid" {
		t.Errorf("the zero Type is %v", zero)
	}
	if got := Type(200).String(); got != "dtype(200)" {
		t.Errorf("a Type that is none prints as %q", got)
	}
}

// TestOpaque: an operator or a conversion on a narrow type would work on its bits,
// so it must not compile. Structs have neither, and an unexported field keeps
// literals of other packages out.
func TestOpaque(t *testing.T) {
	for _, x := range []any{F16{}, BF16{}, F8E4M3{}, F8E5M2{}} {
		r := reflect.TypeOf(x)
		if r.Kind() != reflect.Struct || r.NumField() != 1 || r.Field(0).IsExported() {
			t.Errorf("%v is a %v, want a struct with one unexported field", r, r.Kind())
		}
	}
}
