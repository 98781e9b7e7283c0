package mtx

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
)

// small keeps fuzzing quick and its memory low.
var small = Options{MaxDim: 1 << 16, MaxEntries: 1 << 16, MaxLine: 1 << 12, MaxBytes: 1 << 20}

// checkError checks that err is what a reader may give for a text: a position and a reason,
// safe to print.
func checkError(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Reason == "" || e.Line < 0 || e.Line > 0 && e.Col < 1 || e.Offset < 0 {
		t.Fatalf("%#v is no error of a text", err)
	}
	for _, c := range []byte(err.Error()) {
		if c < ' ' || c > '~' {
			t.Fatalf("%q is not safe to print", err)
		}
	}
}

// FuzzRead: no text panics, entries lie in the matrix, and what is read can be written
// and read again.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"", "\n", generalLine + "2 2 1\n1 1 1\n", "%%MatrixMarket matrix array complex hermitian\n%c\n2 2\n1 0\n2 3\n1d0 0\n",
		"%%MatrixMarket matrix coordinate integer skew-symmetric\n%%GraphBLAS type int8_t\n3 3 1\n2 1 -128\n",
		"%%MatrixMarket matrix coordinate pattern symmetric\r\n\r\n3 3 1\r\n1 2\r\n", string(packed(generalLine + "1 1 1\n1 1 -nan\n")),
		"%%MatrixMarket matrix coordinate real symmetric\n2000000000 2000000000 0\n",
		"%%MatrixMarket matrix array real skew-symmetric\n3 3\n-0\n1.0D+03\n1e-400\n",
	} {
		f.Add([]byte(text))
	}
	if _, missing := dataDir(); missing == "" {
		for _, name := range append(dataFiles(f, "*.mtx"), dataFiles(f, "malformed/*.mtx")...) {
			if text, err := os.ReadFile(name); err == nil && len(text) < 1<<11 {
				f.Add(text)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		h, list, err := collect(text, small)
		if err != nil {
			checkError(t, err)
			return
		}
		if len(list) != h.Entries {
			t.Fatalf("%d visits for %d entries", len(list), h.Entries)
		}
		for _, e := range list {
			if uint(e.i) >= uint(h.Rows) || uint(e.j) >= uint(h.Cols) {
				t.Fatalf("%+v is outside of %d x %d", e, h.Rows, h.Cols)
			}
			if h.Symmetry != General && e.i < e.j {
				return // the writer writes the lower triangle only
			}
		}
		for k := range list { // NaN is not exact, and not equal to itself
			if e := &list[k]; e.re != e.re || e.im != e.im {
				e.re, e.im = 0, 0
			}
		}
		roundTrip(t, h, list)
		o := small
		o.Expand = true
		if _, full, err := collect(text, o); err != nil || len(full) < len(list) || len(full) > 2*len(list) {
			t.Fatalf("%d entries expand to %d: %v", len(list), len(full), err)
		}
	})
}

// FuzzFloat compares numbers with strconv.
func FuzzFloat(f *testing.F) {
	for _, s := range strings.Fields("0 1.5 -1e5 9007199254740993 1e400 1e-400 inf nan .5 5. 1e22 123456789012345678901234567890e-12") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsAny(s, " \tdDxX_") || strings.EqualFold(s, "+nan") || strings.EqualFold(s, "-nan") {
			return // ours differs: blanks end a number, D is Fortran's, and see parseFloat
		}
		sameFloat(t, s)
	})
}

func FuzzSMTX(f *testing.F) {
	for _, text := range []string{"", "3, 4, 3\n0 2 2 3\n0 3 1\n", "0,0,0\n0\n\n", "1,1,99999999\n0", string(packed("1, 1, 1\n0 1\n0\n"))} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ReadSMTX(bytes.NewReader(text), small)
		if err != nil {
			checkError(t, err)
			return
		}
		var b bytes.Buffer
		if err := WriteSMTX(&b, m); err != nil {
			t.Fatal(err)
		}
		if back, err := ReadSMTX(&b, small); err != nil || !reflect.DeepEqual(back, m) {
			t.Fatalf("%+v came back as %+v, %v", m, back, err)
		}
	})
}

func FuzzNPY(f *testing.F) {
	for k := range 8 {
		var b bytes.Buffer
		a := NPY[int32]{Shape: []int{2, 2}, Fortran: k&1 > 0, Data: []int32{1, 2, 3, 4}}
		if err := WriteNPY(&b, a, NPYLayout{BigEndian: k&2 > 0, Version2: k&4 > 0}); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte(npyText(`{"shape":(3L,),"descr":'>f4',"fortran_order":True}`) + "abcdefghijkl"))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := ReadNPY[int32](bytes.NewReader(text), small)
		if err == nil {
			var b bytes.Buffer
			if err := WriteNPY(&b, a, NPYLayout{}); err != nil {
				t.Fatal(err)
			}
			if back, err := ReadNPY[int32](&b, small); err != nil || !reflect.DeepEqual(back, a) {
				t.Fatalf("%+v came back as %+v, %v", a, back, err)
			}
		} else {
			checkError(t, err)
		}
		if _, err := ReadNPY[float64](bytes.NewReader(text), small); err != nil {
			checkError(t, err)
		}
	})
}
