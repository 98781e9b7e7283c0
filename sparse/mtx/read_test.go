package mtx

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// shown reads text and prints it as "rows x cols: i,j=v ...".
func shown(text string, o Options) (string, Header, error) {
	return shownFrom(strings.NewReader(text), o)
}

func shownFrom(r io.Reader, o Options) (string, Header, error) {
	var b strings.Builder
	h, err := ReadComplex(r, o, func(i, j int, v complex128) error {
		fmt.Fprintf(&b, " %d,%d=%v", i, j, real(v))
		if imag(v) != 0 {
			fmt.Fprintf(&b, "%+gi", imag(v))
		}
		return nil
	})
	return fmt.Sprintf("%dx%d:", h.Rows, h.Cols) + b.String(), h, err
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ what, text, want, expanded string }{
		{"general", "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1.5\n2 3 -2e-3\n", "2x3: 0,0=1.5 1,2=-0.002", ""},
		{"no end of the last line", "%%MatrixMarket matrix coordinate real general\n2 3 1\n2 3 7", "2x3: 1,2=7", ""},
		{"any case, tabs, spaces, CRLF", " %%matrixmarket\tMATRIX Coordinate REAL General \r\n\r\n 2  3\t1 \r\n\r\n\t1 \t2   5\t\r\n\r\n", "2x3: 0,1=5", ""},
		{"comments anywhere", "%%MatrixMarket matrix coordinate real general\n% a\n\n  %b\n1 1 1\n%c\n1 1 3\n%d", "1x1: 0,0=3", ""},
		{"byte order mark", "\xef\xbb\xbf%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", "1x1: 0,0=1", ""},
		{"Fortran", "%%MatrixMarket matrix coordinate real general\n1 3 3\n1 1 1.0D+03\n1 2 -.5d-1\n1 3 5.\n", "1x3: 0,0=1000 0,1=-0.05 0,2=5", ""},
		{"not finite", "%%MatrixMarket matrix coordinate real general\n1 4 4\n1 1 nan\n1 2 -Inf\n1 3 +infinity\n1 4 -nan\n", "1x4: 0,0=NaN 0,1=-Inf 0,2=+Inf 0,3=NaN", ""},
		{"duplicates stay", "%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 1\n1 1 2\n", "1x1: 0,0=1 0,0=2", ""},
		{"integer", "%%MatrixMarket matrix coordinate integer general\n1 3 3\n1 1 -7\n1 2 +18446744073709549568\n1 3 007\n", "1x3: 0,0=-7 0,1=1.844674407370955e+19 0,2=7", ""},
		{"unsigned", "%%MatrixMarket matrix coordinate unsigned-integer symmetric\n2 2 2\n1 1 -0\n2 1 18446744073709549568\n", "2x2: 0,0=-0 1,0=1.844674407370955e+19", "2x2: 0,0=-0 1,0=1.844674407370955e+19 0,1=1.844674407370955e+19"},
		{"zeros on the diagonal of skew", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n1 1 0\n2 1 5\n", "2x2: 0,0=0 1,0=5", "2x2: 0,0=0 1,0=5 0,1=-5"},
		{"empty", "%%MatrixMarket matrix coordinate real general\n0 0 0\n", "0x0:", ""},
		{"no entries", "%%MatrixMarket matrix coordinate real symmetric\n5 5 0\n", "5x5:", ""},
		{"pattern symmetric", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 1\n3 1\n", "3x3: 0,0=1 2,0=1", "3x3: 0,0=1 2,0=1 0,2=1"},
		{"symmetric by the upper triangle", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 1 4\n1 3 5\n", "3x3: 0,0=4 0,2=5", "3x3: 0,0=4 0,2=5 2,0=5"},
		{"skew", "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n3 1 5\n", "3x3: 2,0=5", "3x3: 2,0=5 0,2=-5"},
		{"complex skew", "%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 1\n2 1 5 -1\n", "2x2: 1,0=5-1i", "2x2: 1,0=5-1i 0,1=-5+1i"},
		{"hermitian", "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 3 0\n2 1 5 -1\n", "2x2: 0,0=3 1,0=5-1i", "2x2: 0,0=3 1,0=5-1i 0,1=5+1i"},
		{"complex symmetric", "%%MatrixMarket matrix coordinate complex symmetric\n2 2 1\n2 1 5 -1\n", "2x2: 1,0=5-1i", "2x2: 1,0=5-1i 0,1=5-1i"},
		{"array", "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n", "2x3: 0,0=1 1,0=2 0,1=3 1,1=4 0,2=5 1,2=6", ""},
		{"array of nothing", "%%MatrixMarket matrix array real general\n0 3\n", "0x3:", ""},
		{"array complex", "%%MatrixMarket matrix array complex general\n1 1\n1 2\n", "1x1: 0,0=1+2i", ""},
		{"array symmetric", "%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n", "2x2: 0,0=1 1,0=2 1,1=3", "2x2: 0,0=1 1,0=2 0,1=2 1,1=3"},
		{"array hermitian", "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n3 0\n", "2x2: 0,0=1 1,0=2+3i 1,1=3", "2x2: 0,0=1 1,0=2+3i 0,1=2-3i 1,1=3"},
		{"array skew", "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n", "3x3: 1,0=1 2,0=2 2,1=3", "3x3: 1,0=1 0,1=-1 2,0=2 0,2=-2 2,1=3 1,2=-3"},
		{"array skew of size 1", "%%MatrixMarket matrix array real skew-symmetric\n1 1\n", "1x1:", ""},
		{"array skew of size 0", "%%MatrixMarket matrix array real skew-symmetric\n0 0\n", "0x0:", ""},
		{"a type", "%%MatrixMarket matrix coordinate integer general\n%%GraphBLAS type int8_t\n1 2 2\n1 1 -128\n1 2 127\n", "1x2: 0,0=-128 0,1=127", ""},
		{"a type of two words", "%%MatrixMarket matrix coordinate complex general\n%%GraphBLAS  TYPE  double  complex\n1 1 1\n1 1 0 1\n", "1x1: 0,0=0+1i", ""},
	} {
		got, _, err := shown(c.text, Options{})
		if err != nil || got != c.want {
			t.Errorf("%s: %s, %v, want %s", c.what, got, err, c.want)
		}
		if c.expanded == "" {
			c.expanded = c.want
		}
		if got, _, err = shown(c.text, Options{Expand: true}); err != nil || got != c.expanded {
			t.Errorf("%s, expanded: %s, %v, want %s", c.what, got, err, c.expanded)
		}
		// The same in pieces of one byte, and packed.
		for what, r := range map[string]io.Reader{
			"byte by byte":     iotest.OneByteReader(strings.NewReader(c.text)),
			"error with data":  iotest.DataErrReader(strings.NewReader(c.text)),
			"gzip":             bytes.NewReader(packed(c.text)),
			"gzip in two":      bytes.NewReader(append(packed(c.text[:9]), packed(c.text[9:])...)),
			"gzip byte by one": iotest.OneByteReader(bytes.NewReader(packed(c.text))),
		} {
			text, _, err := shownFrom(r, Options{Expand: true})
			if err != nil || text != got {
				t.Errorf("%s, %s: %s, %v, want %s", c.what, what, text, err, got)
			}
		}
	}
}

func packed(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.Bytes()
}

func TestHeader(t *testing.T) {
	const text = "%%MatrixMarket matrix coordinate real symmetric\n%%GraphBLAS type float\n% one \n%%two\n%\n3 3 1\n% not this\n2 1 9\n"
	_, h, err := shown(text, Options{})
	want := Header{Symmetry: Symmetric, Type: "float", Rows: 3, Cols: 3, Entries: 1, Comments: []string{" one ", "%two", ""}}
	if err != nil || !reflect.DeepEqual(h, want) {
		t.Errorf("%#v, %v, want %#v", h, err, want)
	}
	if got := h.Banner(); got != "%%MatrixMarket matrix coordinate real symmetric" {
		t.Error(got)
	}
	if got := Field(9).String(); got != "unknown(9)" {
		t.Error(got)
	}
}

func TestVisitor(t *testing.T) {
	const text = "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 9\nwrong\n"
	stop := errors.New("stop")
	for at := range 2 {
		n := 0
		_, err := Read(strings.NewReader(text), Options{Expand: true}, func(int, int, float64) error {
			if n == at {
				return stop
			}
			n++
			return nil
		})
		if err != stop { //nolint:errorlint // it must be the same, not wrapped
			t.Errorf("%v, want the visitor's error", err)
		}
	}
	_, err := Read(strings.NewReader("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n"), Options{}, nil)
	if !errors.Is(err, ErrComplex) || !strings.Contains(err.Error(), "want ReadComplex") {
		t.Errorf("complex as real: %v", err)
	}
	d, err := NewReader(strings.NewReader(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	_ = d.Visit(func(int, int, float64) error { return nil })
	if err := d.Visit(func(int, int, float64) error { return nil }); err == nil || !strings.Contains(err.Error(), "new Reader") {
		t.Errorf("a second visit: %v", err)
	}
}
