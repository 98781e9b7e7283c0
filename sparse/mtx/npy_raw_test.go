package mtx

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

// TestRawNPY writes every type and reads it back, and reads what others write.
func TestRawNPY(t *testing.T) {
	for _, kind := range rawKinds {
		size := int(kind[1] - '0')
		for _, shape := range [][]int{nil, {0}, {3}, {2, 3}, {1, 2, 3, 1}} {
			n := size
			for _, d := range shape {
				n *= d
			}
			a := RawNPY{Kind: kind, Shape: shape, Data: make([]byte, n)}
			for i := range a.Data {
				a.Data[i] = byte(i)
			}
			var b bytes.Buffer
			if err := WriteRawNPY(&b, a); err != nil {
				t.Fatal(err)
			}
			if b.Len()%64 != n%64 {
				t.Errorf("%s %v: %d bytes", kind, shape, b.Len())
			}
			got, err := ReadRawNPY(&b, Options{})
			if err != nil || got.Kind != kind || !bytes.Equal(got.Data, a.Data) || len(shape) != len(got.Shape) || len(shape) > 0 && !reflect.DeepEqual(got.Shape, shape) {
				t.Errorf("%s %v: %v, %v", kind, shape, got, err)
			}
		}
	}
	// What numpy 2.4 writes for np.array([1, 2], '>u2') and for np.uint8(7).
	big, err := ReadRawNPY(strings.NewReader(npyStart("u2", []int{2}, false, NPYLayout{BigEndian: true})+"\x00\x01\x00\x02"), Options{})
	if err != nil || !bytes.Equal(big.Data, []byte{1, 0, 2, 0}) {
		t.Errorf("%v, %v", big, err)
	}
	if s := npyStart("u1", nil, false, NPYLayout{}); !strings.Contains(s, "{'descr': '|u1', 'fortran_order': False, 'shape': (), }") {
		t.Errorf("%q", s)
	}
	// One long dimension is the same in both orders.
	if a, err := ReadRawNPY(strings.NewReader(npyStart("i1", []int{1, 3, 1}, true, NPYLayout{})+"abc"), Options{}); err != nil || string(a.Data) != "abc" {
		t.Errorf("%v, %v", a, err)
	}
	// Of np.arange(12).reshape(2, 2, 3) in Fortran's order: two bytes each, of which the first counts.
	if a, err := ReadRawNPY(strings.NewReader(npyStart("u2", []int{2, 2, 3}, true, NPYLayout{})+"a.g.d.j.b.h.e.k.c.i.f.l."), Options{}); err != nil || string(a.Data) != "a.b.c.d.e.f.g.h.i.j.k.l." {
		t.Errorf("%v, %v", a, err)
	}
}

func TestRawNPYErrors(t *testing.T) {
	start := func(kind string, shape ...int) string { return npyStart(kind, shape, false, NPYLayout{}) }
	for _, x := range []struct{ text, why string }{
		{"", "its first 8 bytes"},
		{start("c8", 1), "values of type \"<c8\"; want b1, i1"},
		{start("f4", 2) + "1234567", "after 1 of 2 values"},
		{start("f4", 1) + "12345", "goes on after its 1 values"},
		{npyStart("f4", []int{2, 2}, true, NPYLayout{}), "after 0 of 4 values"},
		{start("f4", 1<<30, 1<<30), "MaxEntries"},
		{start("f4", 1<<29-1), "after 0 of"},
		{strings.Replace(start("f4", 1), "(1,)", "(1,"+strings.Repeat("1,", 64)+")", 1), ""},
	} {
		_, err := ReadRawNPY(strings.NewReader(x.text), Options{Name: "x.npy"})
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), x.why) {
			t.Errorf("%.40q: %v, want %q", x.text, err, x.why)
		}
	}
	for _, a := range []RawNPY{{Kind: "c8"}, {Kind: "f4", Shape: []int{2}, Data: make([]byte, 4)}, {Kind: "f4", Shape: []int{-1}}, {Kind: "f4", Shape: []int{math.MaxInt, 4}}} {
		if err := WriteRawNPY(&bytes.Buffer{}, a); err == nil {
			t.Errorf("%v is written", a)
		}
	}
}
