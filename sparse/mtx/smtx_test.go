package mtx

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

func TestSMTX(t *testing.T) {
	want := SMTX{Rows: 3, Cols: 4, RowPtr: []int{0, 2, 2, 3}, ColIdx: []int{0, 3, 1}}
	for _, text := range []string{"3, 4, 3\n0 2 2 3\n0 3 1\n", "3,4,3\r\n0 2 2 3 \r\n0 3 1 \r\n", "3 4 3 0\n2 2\t3 0 3 1", "\n\n3 , 4 , 3,\n00 02 2 3\n\n0 3 1\n\n"} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), bytes.NewReader(packed(text))} {
			if got, err := ReadSMTX(r, Options{}); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
			}
		}
	}
	var b bytes.Buffer
	if err := WriteSMTX(&b, want); err != nil || b.String() != "3, 4, 3\n0 2 2 3\n0 3 1\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
	var coordinates []int
	err := want.Visit(func(i, j int, v float64) error {
		coordinates = append(coordinates, 10*i+j)
		return nil
	})
	if err != nil || !reflect.DeepEqual(coordinates, []int{0, 3, 21}) {
		t.Errorf("visited %v, %v", coordinates, err)
	}
	stop := errors.New("stop")
	if err := want.Visit(func(int, int, float64) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v, want the visitor's error", err)
	}
}

func TestSMTXRoundTrip(t *testing.T) {
	for _, size := range [][2]int{{0, 0}, {0, 5}, {5, 0}, {1, 1}, {300, 7}, {7, 300}} {
		m := SMTX{Rows: size[0], Cols: size[1], RowPtr: []int{0}}
		for i := range m.Rows {
			for j := i % 3; j < m.Cols; j += 1 + i%5 {
				m.ColIdx = append(m.ColIdx, j)
			}
			m.RowPtr = append(m.RowPtr, len(m.ColIdx))
		}
		var b bytes.Buffer
		if err := WriteSMTX(&b, m); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadSMTX(&b, Options{}); err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%v: %v, %v", size, got, err)
		}
	}
	if err := WriteSMTX(failing{io.ErrShortWrite}, SMTX{RowPtr: []int{0}}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("%v, want the writer's error", err)
	}
}

func TestSMTXRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "f:1:1: the file ends before the number of rows"},
		{"3, 4", "f:1:5: the file ends before the number of entries"},
		{"3; 4, 3\n", `f:1:1: the number of rows has ";" in it; want decimal digits`},
		{"3, -4, 3\n", `f:1:4: the number of columns has "-" in it`},
		{"3, 4, 3\n0 2 2,3\n", `f:2:5: a row pointer has "," in it`},
		{"3, 4, 3\n0 2 2\n", "f:3:1: the file ends before a row pointer"},
		{"3, 4, 3\n1 2 2 3\n", "f:2:1: row pointer 0 is 1; want 0 first"},
		{"3, 4, 3\n0 2 1 3\n", "f:2:5: row pointer 2 is 1; want 0 first, then never less"},
		{"3, 4, 3\n0 2 2 2\n", "f:2:7: row pointer 3 is 2; want 0 first, then never less than the one before, and 3 last"},
		{"3, 4, 3\n0 4 4 4\n", "f:2:3: row pointer 1 is 4"},
		{"3, 4, 3\n0 2 2 3\n0 4 1\n", "f:3:3: column 4 of entry 1; columns count from 0, want less than 4"},
		{"3, 4, 3\n0 2 2 3\n0 3\n", "f:4:1: the file ends before a column index"},
		{"3, 4, 3\n0 2 2 3\n0 3 1 1\n", `f:3:7: the file goes on with "1" after its 3 columns`},
		{"1, 1, 99999999999999999999", "f:1:7: the number of entries is too large"},
	} {
		if _, err := ReadSMTX(strings.NewReader(c.text), Options{Name: "f"}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	for _, c := range []struct {
		r    io.Reader
		is   error
		want string
	}{
		{strings.NewReader("2000000000, 1, 0"), ErrLimit, "2000000000, is more than Options.MaxDim"},
		{strings.NewReader("1, 1, 9999999999"), ErrLimit, "9999999999, is more than Options.MaxEntries"},
		{&endless{text: "3, 4, ", pad: ' '}, ErrLimit, "longer than 1000000 bytes"},
		{&endless{text: "3, 4, ", pad: '0'}, ErrLimit, "longer than 1000000 bytes"},
		{io.MultiReader(strings.NewReader("1, 1, 0\n0 0\n"), iotest.ErrReader(io.ErrClosedPipe)), io.ErrClosedPipe, "line 3, column 1: the text cannot"},
		{bytes.NewReader([]byte{0x1f, 0x8b, 0}), io.ErrUnexpectedEOF, "begins as gzip does"},
	} {
		if _, err := ReadSMTX(c.r, Options{MaxBytes: 1e6}); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %v, %s", err, c.is, c.want)
		}
	}
	for _, c := range []struct {
		want string
		m    SMTX
	}{
		{"-1 rows", SMTX{Rows: -1}},
		{"0 row pointers for 0 rows", SMTX{}},
		{"the first row pointer is 1", SMTX{RowPtr: []int{1}, ColIdx: []int{0}}},
		{"the last row pointer is 0; want the number of entries, 1", SMTX{RowPtr: []int{0}, ColIdx: []int{0}}},
		{"fall from 2 to 1 at row 1", SMTX{Rows: 2, Cols: 1, RowPtr: []int{0, 2, 1}, ColIdx: []int{0}}},
		{"column -1 of entry 0; want 0 to 0", SMTX{Rows: 1, Cols: 1, RowPtr: []int{0, 1}, ColIdx: []int{-1}}},
	} {
		if err := WriteSMTX(io.Discard, c.m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
