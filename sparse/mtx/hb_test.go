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

// shownLayout is where the fields of the first line and those of a later one stand: their widths, digits and scales.
func shownLayout(l layout) string {
	var b strings.Builder
	for _, first := range []bool{true, false} {
		some := l.rest
		if first {
			some = l.first
		}
		l.each(first, some, func(from int, f field) bool {
			letter := "F"
			if f.integer {
				letter = "I"
			}
			fmt.Fprintf(&b, " %d:%dP%s%d.%d", from, f.scale, letter, f.width, f.digits)
			return true
		})
		b.WriteString(" /")
	}
	return b.String()
}

func TestParseLayout(t *testing.T) {
	for text, want := range map[string]string{
		"(2I5)":                     " 0:0PI5.0 5:0PI5.0 / 0:0PI5.0 5:0PI5.0 /",
		"(I8.3)":                    " 0:0PI8.3 / 0:0PI8.3 /",
		"(E16.8)":                   " 0:0PF16.8 / 0:0PF16.8 /",
		"(1P,2E16.8)":               " 0:1PF16.8 16:1PF16.8 / 0:1PF16.8 16:1PF16.8 /",
		"(1P2D20.12)":               " 0:1PF20.12 20:1PF20.12 / 0:1PF20.12 20:1PF20.12 /",
		"( 1f20.0 )":                " 0:0PF20.0 / 0:0PF20.0 /",
		"(1E25.17E3)":               " 0:0PF25.17 / 0:0PF25.17 /",
		"(ES15.7)":                  " 0:0PF15.7 / 0:0PF15.7 /",
		"(-2P,F10.1)":               " 0:-2PF10.1 / 0:-2PF10.1 /",
		"(1X,2I9)":                  " 1:0PI9.0 10:0PI9.0 / 1:0PI9.0 10:0PI9.0 /",
		"(2(1P,E24.16))":            " 0:1PF24.16 24:1PF24.16 / 0:1PF24.16 24:1PF24.16 /",
		"(2(1X,I4),2X,I3)":          " 1:0PI4.0 6:0PI4.0 12:0PI3.0 / 1:0PI4.0 6:0PI4.0 12:0PI3.0 /",
		"(I4,2(I5,(I6)))":           " 0:0PI4.0 4:0PI5.0 9:0PI6.0 15:0PI5.0 20:0PI6.0 / 0:0PI5.0 5:0PI6.0 11:0PI5.0 16:0PI6.0 /",
		"(F5.1,1P,(F6.1))":          " 0:0PF5.1 5:1PF6.1 / 0:1PF6.1 /",
		"(F5.1,1PF6.1)":             " 0:0PF5.1 5:1PF6.1 / 0:1PF5.1 5:1PF6.1 /",
		"(" + "((((((((I3)))))))))": " 0:0PI3.0 / 0:0PI3.0 /",
	} {
		l, reason := parseLayout(text)
		if have := shownLayout(l); reason != "" || have != want {
			t.Errorf("%s: %s, %s, want %s", text, have, reason, want)
		}
	}
	for _, text := range []string{"", "()", "16I5", "(16I5", "(I)", "(0I5)", "(16I0)", "(1P)", "(16X5)", "(5E16.17)", "(99P,E5.1)", "(-1I5)", "(99999I99999)", "(I99999999999999999999)",
		"(2X)", "(2(2X))", "(2())", "(I5))", "(16I5)x", "(A5)", "(65537I1)", "(256(256(2I1)))", "(9999999(1P))", "(+2I5)", "(I5,/,I5)", "(E16.)", "(I+5)", "(1X65536I1)"} {
		if l, reason := parseLayout(text); reason == "" {
			t.Errorf("%q: %s, want an error", text, shownLayout(l))
		}
	}
	l, _ := parseLayout("(I4,3(I5))")
	for n, want := range []int{0, 1, 1, 1, 1, 2, 2, 2, 3} {
		if have := l.lines(n); have != want {
			t.Errorf("%d numbers take %d lines, want %d", n, have, want)
		}
	}
}

// TestHBFormats: numbers stand where the format says, as Fortran reads them.
func TestHBFormats(t *testing.T) {
	// A matrix of 1 x n in one line of pointers and indices each.
	file := func(kind, format string, n, lines int, values string) string {
		p, x := "", strings.Repeat("1", n)
		for k := range n + 1 {
			p += fmt.Sprintf(" %d", k+1)
		}
		return fmt.Sprintf("%-72s%-8s\n%14d%14d%14d%14d\n%-14s%14d%14d%14d%14d\n%-16s%-16s%-20s\n%s\n%s\n%s", "title", "key", 0, 1, 1, lines, kind, 1, n, n, 0, "(40I2)", "(80I1)", format, p, x, values)
	}
	for _, c := range []struct{ what, file, want string }{
		{"a column for the printer", file("IUA", "(1X,3I4)", 5, 2, "1  12  -3+  4\n0   5\n"), "1x5: 0,0=12 0,1=-3 0,2=4 0,3=5 0,4=0"},
		{"groups", file("RUA", "(2(1P,E9.1))", 3, 2, " 1.5E+00 -2.D-101\n 25\n"), "1x3: 0,0=1.5 0,1=-2e-101 0,2=0.25"},
		{"a later group", file("RUA", "(F4.1,2(2X,F4.1))", 5, 2, " 1.5xx 2.5xx 3.5\nxx 4.5xx  55\n"), "1x5: 0,0=1.5 0,1=2.5 0,2=3.5 0,3=4.5 0,4=5.5"},
		{"blank fields", file("RUA", "(3E6.1)", 5, 2, "   1.5         2.5\n\n"), "1x5: 0,0=1.5 0,1=0 0,2=2.5 0,3=0 0,4=0"},
		{"a blank field and the card's number", file("RUA", "(3E24.1)", 3, 1, fmt.Sprintf("%24s%24s%24s%08d\n", "1.5", "", "2.5", 17)), "1x3: 0,0=1.5 0,1=0 0,2=2.5"},
		{"numbers wider than fields", file("IUA", "(26I3)", 5, 1, "-32768  0  1  0  0\n"), "1x5: 0,0=-32768 0,1=0 0,2=1 0,3=0 0,4=0"},
		{"numbers wider than fields that touch", file("IUA", "(26I3)", 2, 1, "-32768-32768\n"), "goes on beyond the last place"},
		{"a short last line", file("IUA", "(4I3)", 4, 1, "  1  2\n"), "1x4: 0,0=1 0,1=2 0,2=0 0,3=0"},
		{"a file that was cut", file("IUA", "(4I3)", 4, 1, "  1  2"), "the file ends before value 3 of 4"},
		{"no end of the last line", file("IUA", "(4I3)", 4, 1, "  1  2  3  4"), "1x4: 0,0=1 0,1=2 0,2=3 0,3=4"},
		{"blanks within numbers", file("RUA", "(3E10.2)", 3, 1, "  - 1.5   1.5E 03   1.5D- 1\n"), "1x3: 0,0=-1.5 0,1=1500 0,2=0.15"},
		{"fields elsewhere", file("RUA", "(2E8.2)", 2, 1, "1.5  25 35 4\n"), "is not a number"},
		{"exponents", file("RUA", "(4E9.2)", 4, 1, " 1.0-101  1.0+101   15D+2  .5Q0\n"), "1x4: 0,0=1e-101 0,1=1e+101 0,2=15 0,3=0.5"},
		{"scale factors", file("RUA", "(F6.2,2PF6.2,0PF6.2)", 3, 1, "  1.5   150   150\n"), "1x3: 0,0=1.5 0,1=0.015 0,2=1.5"},
		{"fields that touch", file("IUA", "(3I3)", 3, 1, "-12345678\n"), "1x3: 0,0=-12 0,1=345 0,2=678"},
		{"integers with a point", file("IUA", "(3F5.1)", 3, 1, "  12.  -3.   40\n"), "1x3: 0,0=12 0,1=-3 0,2=4"},
		{"integers with a fraction", file("IUA", "(3F5.1)", 3, 1, "  12. -3.5   40\n"), "is no integer of 64 bits"},
		{"blank sizes", strings.Replace(file("PUA", "", 2, 0, ""), fmt.Sprintf("%14d%14d%14d%14d\n", 0, 1, 1, 0), fmt.Sprintf("%14d%14d%14d\n", 2, 1, 1), 1), "1x2: 0,0=1 0,1=1"},
	} {
		have, err := shownHB(strings.NewReader(c.file), Options{})
		if err != nil {
			have = err.Error()
		}
		if have != c.want && (err == nil || !strings.Contains(have, c.want)) {
			t.Errorf("%s: %s, want %s\n%s", c.what, have, c.want, c.file)
		}
		if in, err2 := Open(strings.NewReader(c.file), Options{}); err == nil && (err2 != nil || in.Header().Rows != 1) {
			t.Errorf("%s, opened: %v", c.what, err2)
		}
	}
	h, err := NewHB(strings.NewReader(file("IUA", "(3F5.1)", 3, 1, "  12.  -3.   40\n")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole := ""
	if err := h.VisitWhole(func(i, j int, negative bool, size uint64) error {
		whole += fmt.Sprintf(" %v%d", negative, size)
		return nil
	}); err != nil || whole != " false12 true3 false4" {
		t.Errorf("integers with a point: %s, %v", whole, err)
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
