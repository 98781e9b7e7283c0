package mtx

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
)

// hbFile lays out a file: numbers in fields of 5 and of 12 places.
func hbFile(kind string, rows, cols int, ptr, idx, values []string) string {
	var b strings.Builder
	lines := func(n, per int) int { return (n + per - 1) / per }
	fmt.Fprintf(&b, "%-72s%-8s\n", "a title", "KEY")
	fmt.Fprintf(&b, "%14d%14d%14d%14d%14d\n", 0, lines(len(ptr), 4), lines(len(idx), 4), lines(len(values), 3), 0)
	fmt.Fprintf(&b, "%-14s%14d%14d%14d%14d\n", kind, rows, cols, len(idx), 0)
	fmt.Fprintf(&b, "%-16s%-16s%-20s%-20s\n", "(4I5)", "(4I5)", "(1P,3E12.4)", "")
	for _, part := range []struct {
		list       []string
		per, width int
	}{{ptr, 4, 5}, {idx, 4, 5}, {values, 3, 12}} {
		for k, v := range part.list {
			fmt.Fprintf(&b, "%*s", part.width, v)
			if k%part.per == part.per-1 || k == len(part.list)-1 {
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}

func words(s string) []string { return strings.Fields(s) }

func shownHB(r io.Reader, o Options) (string, error) {
	h, err := NewHB(r, o)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	d := h.Header()
	fmt.Fprintf(&b, "%dx%d:", d.Rows, d.Cols)
	err = h.VisitComplex(func(i, j int, v complex128) error {
		fmt.Fprintf(&b, " %d,%d=%v", i, j, real(v))
		if imag(v) != 0 {
			fmt.Fprintf(&b, "%+gi", imag(v))
		}
		return nil
	})
	return b.String(), err
}

func TestHB(t *testing.T) {
	ptr, idx := words("1 3 3 5"), words("1 2 1 2")
	for _, c := range []struct {
		what, text string
		want       string // or what the error contains
	}{
		{"real", hbFile("RUA", 2, 3, ptr, idx, words("1.5E0 -2.5E0 3.D+01 4.0000-001")), "2x3: 0,0=1.5 1,0=-2.5 0,2=30 1,2=0.4"},
		{"rectangular, lower case", hbFile("rra", 2, 3, ptr, idx, words("1.0e0 2.0e0 3.0e0 4.0e0")), "2x3: 0,0=1 1,0=2 0,2=3 1,2=4"},
		{"scaled, without point or exponent", hbFile("RUA", 2, 3, ptr, idx, words("12345 10. 1E0 -5")), "2x3: 0,0=0.12345 1,0=1 0,2=0.0001 1,2=-5e-05"},
		{"pattern", hbFile("PUA", 2, 3, ptr, idx, nil), "2x3: 0,0=1 1,0=1 0,2=1 1,2=1"},
		{"symmetric", hbFile("RSA", 2, 2, words("1 3 4"), words("1 2 2"), words("1E0 2E0 3E0")), "2x2: 0,0=0.0001 1,0=0.0002 0,1=0.0002 1,1=0.0003"},
		{"skew", hbFile("RZA", 2, 2, words("1 2 2"), words("2"), words("1.E0")), "2x2: 1,0=1 0,1=-1"},
		{"hermitian", hbFile("CHA", 2, 2, words("1 3 3"), words("1 2"), words("1.E0 0.E0 2.E0 3.E0")), "2x2: 0,0=1 1,0=2+3i 0,1=2-3i"},
		{"empty", hbFile("RUA", 0, 0, words("1"), nil, nil), "0x0:"},
		{"no entries", hbFile("RUA", 3, 2, words("1 1 1"), nil, nil), "3x2:"},

		{"elements", hbFile("RUE", 2, 3, ptr, idx, words("1 2 3 4")), "sum of element matrices"},
		{"no type", hbFile("XUA", 2, 3, ptr, idx, words("1 2 3 4")), `"XUA" is no type`},
		{"auxiliary", hbFile("QUA", 2, 3, ptr, idx, words("1 2 3 4")), "in an auxiliary file"},
		{"hermitian and real", hbFile("RHA", 2, 2, words("1 2 2"), words("2"), words("1.")), "a hermitian matrix is complex"},
		{"not square", hbFile("RSA", 2, 3, ptr, idx, words("1 2 3 4")), "is square, this one has 2 rows and 3 columns"},
		{"pointers fall", hbFile("RUA", 2, 3, words("1 3 2 5"), idx, words("1 2 3 4")), "f:5:15: pointer 3 is 2"},
		{"pointers end early", hbFile("RUA", 2, 3, words("1 3 3 4"), idx, words("1 2 3 4")), "pointer 4 is 4"},
		{"row outside", hbFile("RUA", 2, 3, ptr, words("1 2 3 1"), words("1 2 3 4")), "row 3 is outside the matrix; want 1 to 2"},
		{"no number", hbFile("RUA", 2, 3, ptr, idx, words("1 2 x 4")), "is not a number"},
		{"two exponents", hbFile("RUA", 2, 3, ptr, idx, words("1 2 1E2E3 4")), "is not a number"},
		{"too few lines", hbFile("RUA", 2, 3, ptr, idx, words("1 2 3")), "4 values of (1P,3E12.4) take 2 lines, the header says 1"},
		{"diagonal of skew", hbFile("RZA", 2, 2, words("1 2 2"), words("1"), words("1.E0")), "the diagonal of a skew-symmetric matrix is zero"},
		{"nothing", "", "ends before its title"},
		{"the first line", "x\n", "ends before the numbers of its lines"},
	} {
		have, err := shownHB(iotest.OneByteReader(strings.NewReader(c.text)), Options{Name: "f", Expand: true})
		if err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Errorf("%s: %v is no *Error", c.what, err)
			}
			have = err.Error()
		}
		if have != c.want && (err == nil || !strings.Contains(have, c.want)) {
			t.Errorf("%s: %s, want %s\n%s", c.what, have, c.want, c.text)
		}
		if packed, err2 := shownHB(strings.NewReader(string(packed(c.text))), Options{Name: "f", Expand: true}); err == nil && (err2 != nil || packed != have) {
			t.Errorf("%s, gzip: %s, %v", c.what, packed, err2)
		}
	}
}

// TestHBLimits: what a header promises is not allocated.
func TestHBLimits(t *testing.T) {
	big := hbFile("PUA", 1<<30, 1, words("1 2"), words("1"), nil)
	if _, err := shownHB(strings.NewReader(big), Options{}); !errors.Is(err, ErrLimit) {
		t.Errorf("2^30 rows: %v", err)
	}
	many := strings.Replace(hbFile("PUA", 2, 2, words("1 1 1"), nil, nil), fmt.Sprintf("%14d%14d%14d%14d\n", 2, 2, 0, 0), fmt.Sprintf("%14d%14d%14d%14d\n", 2, 2, math.MaxInt32, 0), 1)
	if _, err := shownHB(strings.NewReader(many), Options{}); err == nil {
		t.Error("entries that are not there")
	}
	wide := strings.Replace(hbFile("PUA", 2, 3, words("1 1 1 1"), nil, nil), "(4I5)", "(4I9999999)", 1)
	if _, err := shownHB(strings.NewReader(wide), Options{}); err == nil || !strings.Contains(err.Error(), "the format of pointers") {
		t.Errorf("a field of 10 MB: %v", err)
	}
}

func TestParseField(t *testing.T) {
	for text, want := range map[string]field{
		"(16I5)":       {repeat: 16, width: 5, integer: true},
		"(I8)":         {repeat: 1, width: 8, integer: true},
		"(5E16.8)":     {repeat: 5, width: 16, digits: 8},
		"(1P,5E16.8)":  {repeat: 5, width: 16, digits: 8, scale: 1},
		"(1P4D20.12)":  {repeat: 4, width: 20, digits: 12, scale: 1},
		"( 4f20.0 )":   {repeat: 4, width: 20},
		"(3E25.17E3)":  {repeat: 3, width: 25, digits: 17},
		"(-2P,3F10.1)": {repeat: 3, width: 10, digits: 1, scale: -2},
	} {
		have, reason := parseField(text)
		have.text = ""
		if reason != "" || have != want {
			t.Errorf("%s: %+v, %s, want %+v", text, have, reason, want)
		}
	}
	for _, text := range []string{"", "()", "16I5", "(16I5", "(I)", "(0I5)", "(16I0)", "(1P)", "(16X5)", "(5E16.17)", "(99P,E5.1)", "(-1I5)", "(99999I99999)", "(I99999999999999999999)"} {
		if f, reason := parseField(text); reason == "" {
			t.Errorf("%q: %+v, want an error", text, f)
		}
	}
}

func FuzzHB(f *testing.F) {
	f.Add(hbFile("RUA", 2, 3, words("1 3 3 5"), words("1 2 1 2"), words("1.5 -2.5E0 3D+01 4.0000-001")))
	f.Add(hbFile("CHA", 2, 2, words("1 3 3"), words("1 2"), words("1.E0 0.E0 2.E0 3.E0")))
	f.Fuzz(func(t *testing.T, text string) {
		h, err := NewHB(strings.NewReader(text), Options{Expand: true})
		if err != nil {
			return
		}
		d := h.Header()
		if err := h.VisitComplex(func(i, j int, _ complex128) error {
			if uint(i) >= uint(d.Rows) || uint(j) >= uint(d.Cols) {
				t.Fatalf("(%d, %d) is outside %d x %d", i, j, d.Rows, d.Cols)
			}
			return nil
		}); err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
		}
	})
}
