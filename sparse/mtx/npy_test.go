package mtx

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// TestNPYBytes: what numpy.save of NumPy 2.4.6 wrote.
func TestNPYBytes(t *testing.T) {
	text := npyMagic + "\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" + strings.Repeat(" ", 58) + "\n" +
		"\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40\x00\x00\x80\x40\x00\x00\xa0\x40"
	want := NPY[float32]{Shape: []int{2, 3}, Data: []float32{0, 1, 2, 3, 4, 5}}
	for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), bytes.NewReader(packed(text))} {
		if got, err := ReadNPY[float32](r, Options{}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
	var b bytes.Buffer
	if err := WriteNPY(&b, want, NPYLayout{}); err != nil || b.String() != text {
		t.Errorf("%q, %v, want %q", b.String(), err, text)
	}
	if got, err := ReadNPY[float64](strings.NewReader(text), Options{}); err != nil || !reflect.DeepEqual(got.Data, []float64{0, 1, 2, 3, 4, 5}) {
		t.Errorf("f4 as float64: %v, %v", got, err)
	}
}

func npyRoundTrip[T Elem](t *testing.T, values ...T) {
	t.Helper()
	for _, shape := range [][]int{{0}, {1}, {7}, {20_000}, {0, 3}, {3, 0}, {2, 3}, {1, 8193}, {123, 45}} {
		n := 1
		for _, d := range shape {
			n *= d
		}
		var data []T
		for k := range n {
			data = append(data, values[k%len(values)])
		}
		for k := range 8 {
			a := NPY[T]{Shape: shape, Fortran: k&1 > 0, Data: data}
			l := NPYLayout{BigEndian: k&2 > 0, Version2: k&4 > 0}
			var b bytes.Buffer
			if err := WriteNPY(&b, a, l); err != nil {
				t.Fatal(err)
			}
			if size := len(data) * len(appendValue(nil, values[0], binary.LittleEndian)); (b.Len()-size)%64 != 0 {
				t.Errorf("%v %+v: values start at byte %d, want a multiple of 64", shape, l, b.Len()-size)
			}
			if got, err := ReadNPY[T](&b, Options{}); err != nil || !reflect.DeepEqual(got, a) {
				t.Errorf("%T %v %+v: %v", values[0], shape, l, err)
			}
		}
	}
}

func TestNPYRoundTrip(t *testing.T) {
	npyRoundTrip[float32](t, 1.5, -0.1, float32(math.Inf(1)), math.MaxFloat32, 1e-45)
	npyRoundTrip(t, 1.5, -0.1, math.Inf(-1), math.MaxFloat64, 5e-324)
	npyRoundTrip[int32](t, 0, -1, math.MaxInt32, math.MinInt32, 0x01020304)
	npyRoundTrip[int64](t, 0, -1, math.MaxInt64, math.MinInt64, 0x0102030405060708)
	if err := WriteNPY(failing{io.ErrShortWrite}, NPY[int32]{Shape: []int{0}}, NPYLayout{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("%v, want the writer's error", err)
	}
}

// TestNPYWidens: a type is read from those it holds exactly, and from no other.
func TestNPYWidens(t *testing.T) {
	text := func(kind string) io.Reader {
		return strings.NewReader(npyStart(kind, []int{1}, false, NPYLayout{}) + strings.Repeat("\xff", int(kind[1]-'0')))
	}
	for _, kind := range []string{"f4", "f8", "i4", "i8"} {
		_, f4 := ReadNPY[float32](text(kind), Options{})
		_, f8 := ReadNPY[float64](text(kind), Options{})
		_, i4 := ReadNPY[int32](text(kind), Options{})
		_, i8 := ReadNPY[int64](text(kind), Options{})
		got := [4]bool{f4 == nil, f8 == nil, i4 == nil, i8 == nil}
		want := map[string][4]bool{"f4": {true, true}, "f8": {false, true}, "i4": {false, true, true, true}, "i8": {false, false, false, true}}[kind]
		if got != want {
			t.Errorf("%s is read as float32, float64, int32, int64: %v, want %v", kind, got, want)
		}
	}
	if a, err := ReadNPY[float64](text("i4"), Options{}); err != nil || a.Data[0] != -1 {
		t.Errorf("%v, %v, want -1", a, err)
	}
}

func TestNPYStrides(t *testing.T) {
	for _, c := range []struct {
		a    NPY[int32]
		want []int
	}{
		{NPY[int32]{Shape: []int{5}}, []int{1}}, {NPY[int32]{Shape: []int{5}, Fortran: true}, []int{1}},
		{NPY[int32]{Shape: []int{5, 3}}, []int{3, 1}}, {NPY[int32]{Shape: []int{5, 3}, Fortran: true}, []int{1, 5}},
	} {
		if got := c.a.Strides(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.a, got, c.want)
		}
	}
}

// npyText is a file of version 1 with this header.
func npyText(dict string) string {
	return npyMagic + "\x01\x00" + string([]byte{byte(len(dict)), byte(len(dict) >> 8)}) + dict
}

func TestNPYHeaders(t *testing.T) {
	for _, dict := range []string{
		`{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }`, `{"shape":(0,),"fortran_order":False,"descr":"<f8"}`,
		"  { 'descr' : '>f8' , 'fortran_order' : True , 'shape' : ( 0 , 2 , ) , }  \n", `{'descr': '<f8', 'fortran_order': False, 'shape': (0L, 2L)}`,
	} {
		if _, err := ReadNPY[float64](strings.NewReader(npyText(dict)), Options{}); err != nil {
			t.Errorf("%s: %v", dict, err)
		}
	}
	const rest = `'fortran_order': False, 'shape': (1,)}`
	for _, c := range []struct{ text, want string }{
		{"", "byte 0: the file ends in its first 8 bytes"},
		{"\x93NUM", "byte 4: the file ends in its first 8 bytes"},
		{"PK\x03\x04 a zip", `byte 0: "PK\x03\x04 a" is not how a file of numpy.save begins`},
		{npyMagic + "\x04\x00", "byte 6: version 4.0 of the format; want 1.0, 2.0 or 3.0"},
		{npyMagic + "\x01\x00\x01", "byte 9: the file ends in the length of its header"},
		{npyMagic + "\x02\x00\xff\xff\xff\xff", "byte 12: a header of 4294967295 bytes; want at most 65536"},
		{npyMagic + "\x01\x00\xff\xff{", "byte 11: the file ends in its header"},
		{npyText(""), "byte 10: the header ends here; want {"},
		{npyText("{}"), "byte 12: the header lacks a key"},
		{npyText(`{'descr': '<f8', 'descr': '<f8', ` + rest), `byte 27: the key "descr" a second time`},
		{npyText(`{'order': 1, ` + rest), `byte 11: the key "order"; want descr, fortran_order and shape`},
		{npyText(`{'descr': '<f2', ` + rest), `byte 20: values of type "<f2"; want f4, f8, i4 or i8`},
		{npyText(`{'descr': '=f8', ` + rest), `values of type "=f8"`},
		{npyText(`{'descr': '<<f', ` + rest), `values of type "<<f"`},
		{npyText(`{'descr': '< f', ` + rest), `values of type "< f"`},
		{npyText(`{'descr': [('a', '<f8')], ` + rest), `byte 20: "[('a', '<f8'" in the header; want a text in quotes`},
		{npyText(`{'descr': '<f8`), "want a text in quotes"},
		{npyText(`{'fortran_order': 0, 'shape': (1,)}`), "want True or False"},
		{npyText(`{'descr' '<f8'`), "want :"},
		{npyText(`{'descr': '<f8' 'shape'`), "want }"},
		{npyText(`{'shape': 3}`), "want ("},
		{npyText(`{'shape': (3)}`), `want ,`},
		{npyText(`{'shape': (-3,)}`), "want a size below 2^"},
		{npyText(`{'shape': (99999999999999999999,)}`), "want a size below 2^"},
		{npyText(`{'shape': ()}`), "an array of 0 dimensions; want 1 or 2"},
		{npyText(`{'shape': (1, 2, 3)}`), "an array of 3 dimensions"},
		{npyText(`{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)} x`), "the header goes on after its }"},
		{npyStart("f8", []int{2}, false, NPYLayout{}) + "123456789012", "byte 140: the file ends within value 1 of 2: unexpected EOF"},
		{npyStart("f8", []int{2}, false, NPYLayout{}), "byte 128: the file ends within value 0 of 2: EOF"},
		{npyStart("f8", []int{1}, false, NPYLayout{}) + "123456789", "byte 136: the file goes on after its 1 values; want one array"},
		{npyStart("i8", []int{1}, false, NPYLayout{}), "values of type i8 do not all fit float64; want a file of [f8 f4 i4]"},
		{npyStart("f8", []int{1 << 28}, false, NPYLayout{}), "a size of 268435456 in the shape [268435456] is more than Options.MaxDim"},
		{npyStart("f8", []int{1 << 26, 1 << 26}, false, NPYLayout{}), "the shape [67108864 67108864] has more values than Options.MaxEntries"},
		{"\x1f\x8b", "byte 0: the file begins as gzip does"},
	} {
		_, err := ReadNPY[float64](strings.NewReader(c.text), Options{})
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
		if strings.Contains(c.want, "Options.") != errors.Is(err, ErrLimit) {
			t.Errorf("%v has ErrLimit: %v", err, errors.Is(err, ErrLimit))
		}
	}
	start := npyStart("f8", []int{1}, false, NPYLayout{})
	for _, text := range []string{"", start, start + "12345678"} {
		_, err := ReadNPY[float64](io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrClosedPipe)), Options{})
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%v, want the reader's error", err)
		}
	}
}

func TestNPYCheck(t *testing.T) {
	for _, c := range []struct {
		want  string
		shape []int
	}{
		{"0 dimensions", nil}, {"3 dimensions", []int{1, 1, 1}}, {"1 values for a shape of [2]; want 2", []int{2}},
		{"a shape of [-1]", []int{-1}}, {"a shape of", []int{math.MaxInt, 2}},
	} {
		err := WriteNPY(io.Discard, NPY[int32]{Shape: c.shape, Data: []int32{1}}, NPYLayout{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
