package mtx

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// An HB has read all of a Harwell-Boeing or Rutherford-Boeing file but its values, which
// Visit and VisitComplex read once. Duff, Grimes, Lewis: Users' Guide for the
// Harwell-Boeing Sparse Matrix Collection, 1992; The Rutherford-Boeing Sparse Matrix
// Collection, 1997. Numbers stand in fields of fixed width, as the header's Fortran
// formats say, column after column of the matrix:
//
//	title, key
//	lines: in all, of pointers, of row indices, of values, of right sides
//	RUA            rows, columns, entries, 0
//	(16I5)          (16I5)          (5E16.8)            formats of the three
//	where each column begins ... rows ... values ...
//
// Formats may have groups, nX and kP, as in (1X,8I9) or (3(1P,E24.16)). A value of blanks, which
// may be missing at the end of a line, is 0, as in Fortran.
//
// The type's letters are: R, C, P or I for real, complex, pattern and integer; U or R, S, H
// and Z for general, symmetric, hermitian and skew; and A. Elemental matrices, E, and values
// in an auxiliary file, Q, are refused. Right sides are not read.
type HB struct {
	text
	colPtr  []int
	rowIdx  []int
	val     layout
	valLine int // lines of values
}

// The letters of a type, and what they stand for.
const (
	hbFields     = "RCPI"
	hbSymmetries = "URSHZ"
)

var (
	hbFieldOf    = [...]Field{Real, Complex, Pattern, Integer}
	hbSymmetryOf = [...]Symmetry{General, General, Symmetric, Hermitian, Skew}
)

// NewHB reads r, plain or gzip, up to the values. Memory grows with the numbers that are
// there, at most 32 bytes for each byte of text, not with those promised. MaxDim and
// MaxEntries apply as to Matrix Market. An error of the text is an *Error.
func NewHB(r io.Reader, o Options) (*HB, error) {
	t, err := newText(r, o, kindHB)
	if err != nil {
		return nil, err
	}
	return newHB(t)
}

// newHB is NewHB of lines.
func newHB(t text) (*HB, error) {
	h := &HB{text: t}
	h.entries = h.columns
	if err := h.read(); err != nil {
		return nil, err
	}
	return h, nil
}

// hbCounts are the numbers of lines that the header states.
type hbCounts struct{ pointers, indices, values, right int }

func (h *HB) read() error {
	title, err := h.next("its title")
	if err != nil {
		return err
	}
	if t := strings.TrimSpace(string(title)); t != "" {
		h.header.Comments = []string{t}
	}
	counts, err := h.counts()
	if err != nil {
		return err
	}
	if err := h.kind(); err != nil {
		return err
	}
	line, err := h.next("its formats")
	if err != nil {
		return err
	}
	var formats [3]layout
	for k, what := range [...]string{"pointers", "row indices", "values"} {
		from := min(16*k, len(line))
		text := strings.TrimSpace(string(line[from:min(from+[...]int{16, 16, 20}[k], len(line))]))
		if k == 2 && (h.header.Field == Pattern || h.header.Entries == 0 && text == "") {
			continue
		}
		var reason string
		if formats[k], reason = parseLayout(text); reason == "" && k < 2 && !formats[k].integers() {
			reason = quote([]byte(text)) + " is no format of integers"
		}
		if reason != "" {
			return h.fail(from, fmt.Sprintf("the format of %s: %s; want one such as (16I5)", what, reason))
		}
	}
	if counts.right > 0 {
		if _, err := h.next("the type of its right sides"); err != nil {
			return err
		}
	}
	h.val, h.valLine = formats[2], counts.values
	return h.pattern(formats, counts)
}

// counts reads line 2.
func (h *HB) counts() (c hbCounts, err error) {
	line, err := h.next("the numbers of its lines")
	if err != nil {
		return c, err
	}
	f := fixed{line: line, width: 14}
	for _, p := range []*int{nil, &c.pointers, &c.indices, &c.values, &c.right} {
		v, ok := f.int()
		if !ok {
			return c, h.fail(f.at, fmt.Sprintf("%s is no number of lines; want five of 14 places: in all, of pointers, of row indices, of values, of right sides", quote(f.field())))
		}
		if p != nil {
			*p = v
		}
	}
	return c, nil
}

// kind reads line 3: type and size.
func (h *HB) kind() error {
	line, err := h.next("its type and size")
	if err != nil {
		return err
	}
	d := &h.header
	letters := strings.ToUpper(string(line[:min(3, len(line))]))
	const want = "want three letters, as RUA: R, C, P or I; U, R, S, H or Z; A"
	if len(letters) < 3 {
		return h.fail(0, "the line has no type; "+want)
	}
	field, symmetry := strings.IndexByte(hbFields, letters[0]), strings.IndexByte(hbSymmetries, letters[1])
	switch {
	case letters[2] == 'E':
		return h.fail(2, "the matrix is a sum of element matrices, which is not read; want an assembled one, "+letters[:2]+"A")
	case letters[0] == 'Q':
		return h.fail(0, "the values are in an auxiliary file; want them in this one")
	case field < 0 || symmetry < 0 || letters[2] != 'A':
		return h.fail(0, quote(line[:3])+" is no type; "+want)
	}
	d.Field, d.Symmetry = hbFieldOf[field], hbSymmetryOf[symmetry]
	if reason := d.checkKind(h.o.Lenient); reason != "" {
		return h.fail(0, reason)
	}
	f := fixed{line: line, at: 14, width: 14}
	for _, s := range h.o.sizes(&d.Rows, &d.Cols, &d.Entries) {
		v, ok := f.int()
		if !ok {
			return h.fail(f.at, fmt.Sprintf("%s is no number of %s; want digits in 14 places", quote(f.field()), s.what))
		}
		if v > s.most {
			return h.limit(f.at, s.beyond(strconv.Itoa(v)))
		}
		*s.p = v
	}
	if reason := d.checkSize(); reason != "" {
		return h.fail(14, reason)
	}
	return nil
}

// pattern reads pointers and row indices, and checks them.
func (h *HB) pattern(formats [3]layout, c hbCounts) error {
	d := &h.header
	last := 1
	var err error
	if h.colPtr, err = h.ints(d.Cols+1, formats[0], c.pointers, "pointer", func(k, v int) string {
		if v < last || v > d.Entries+1 || k == 0 && v != 1 || k == d.Cols && v != d.Entries+1 {
			return fmt.Sprintf("pointer %d is %d; want 1 first, then never less than the one before, and %d last", k+1, v, d.Entries+1)
		}
		last = v
		return ""
	}); err != nil {
		return err
	}
	if h.rowIdx, err = h.ints(d.Entries, formats[1], c.indices, "row index", func(_, v int) string {
		if v < 1 || v > d.Rows {
			return fmt.Sprintf("row %d is outside the matrix; want 1 to %d", v, d.Rows)
		}
		return ""
	}); err != nil {
		return err
	}
	// As in Matrix Market, but columns are in the text.
	if most := mostDim(d.Entries + d.Cols); h.tied && d.Rows > most {
		return h.limit(0, fmt.Sprintf("%d x %d with %d entries; without Options.MaxDim there are at most %d rows, or %d times entries and columns", d.Rows, d.Cols, d.Entries, freeDim, dimPerEntry))
	}
	return nil
}
