package mtx

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// A Writer writes a Matrix Market file that Read gives back: every float64 in its
// shortest exact form, NaN without its payload. Infinity is written inf or -inf and NaN
// nan, which SciPy reads and strconv's +Inf is not. Wrap a gzip.Writer for a packed file.
type Writer struct {
	w      io.Writer
	h      Header
	values valueRange
	next   cursor // the coordinates of the next value of an array
	buf    []byte
	n      int
	err    error // of w, the first
}

// writeAhead is how much a Writer gathers before it writes.
const writeAhead = 1 << 16

// NewWriter writes what comes before the entries. It refuses a header that Matrix
// Market has no words for, and comments that are not one line each. The Entries of an
// array may be 0, as its size gives them.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	p := &Writer{w: w, h: h}
	if reason := p.check(); reason != "" {
		return nil, errors.New("mtx: " + reason)
	}
	p.next = newCursor(p.h)
	p.buf = append(p.buf, h.Banner()...)
	p.buf = append(p.buf, '\n')
	if h.Type != "" {
		p.buf = append(p.buf, "%%GraphBLAS type "+h.Type+"\n"...)
	}
	for _, c := range h.Comments {
		p.buf = append(append(append(p.buf, '%'), c...), '\n')
	}
	p.buf = p.ints(h.Rows, h.Cols)
	if h.Format == Coordinate {
		p.buf = append(p.buf, ' ')
		p.buf = strconv.AppendInt(p.buf, int64(h.Entries), 10)
	}
	return p, p.endLine()
}

// check returns "" or what is wrong with the header, and fills in what follows from it.
func (p *Writer) check() (reason string) {
	h := &p.h
	if reason = h.checkKind(false); reason != "" {
		return reason
	}
	if h.Rows < 0 || h.Cols < 0 || h.Entries < 0 {
		return fmt.Sprintf("%d rows, %d columns and %d entries; want none below 0", h.Rows, h.Cols, h.Entries)
	}
	if reason = h.checkSize(); reason != "" {
		return reason
	}
	if p.values, reason = h.rangeOf(); reason != "" {
		return reason
	}
	if h.Format == Array {
		n := h.arrayEntries()
		if n > math.MaxInt {
			return fmt.Sprintf("an array of %d x %d has more values than an int counts", h.Rows, h.Cols)
		}
		if h.Entries != 0 && h.Entries != int(n) {
			return fmt.Sprintf("a %v array of %d x %d has %d values, not %d", h.Symmetry, h.Rows, h.Cols, n, h.Entries)
		}
		h.Entries = int(n)
	}
	kept := 0
	for k, c := range h.Comments {
		_, isType := graphBLASType(c)
		kept += len(c) + 17
		switch {
		case strings.Contains(c, "\n") || strings.HasSuffix(c, "\r"):
			return fmt.Sprintf("comment %d has the end of a line in it; want one comment a line", k)
		case isType:
			return fmt.Sprintf("comment %d is a GraphBLAS type; want it in Header.Type", k)
		case kept > maxComments:
			return "there is more than a MiB of comments"
		}
	}
	return ""
}

// Entry writes v at (i, j), counted from 0. The entries of an array come column by
// column, those of symmetric matrices from the diagonal or below. A pattern takes the
// value 1, an integer matrix only values that are whole and below 2^64 in size, an unsigned
// one none below 0.
func (p *Writer) Entry(i, j int, v float64) error {
	if p.h.Field == Complex {
		return p.fail(i, j, "a complex matrix wants Writer.Complex")
	}
	if err := p.checkNext(i, j, v, 0); err != nil {
		return err
	}
	switch {
	case p.h.Field == Pattern && v != 1:
		return p.fail(i, j, fmt.Sprintf("a pattern stores no value such as %v; want 1, or another field", v))
	case p.h.Field.whole() && !(v == math.Trunc(v) && math.Abs(v) < 1<<64):
		return p.fail(i, j, fmt.Sprintf("%v is no integer below 2^64; want the field real", v))
	case p.h.Field == Unsigned && v < 0:
		return p.fail(i, j, fmt.Sprintf("%v is negative; want the field integer", v))
	case !p.values.holds(v) || p.h.Symmetry == Skew && !p.values.holds(-v):
		return p.fail(i, j, fmt.Sprintf("%v is no value of Header.Type, %s", v, p.h.Type))
	}
	p.writeCoordinates(i, j)
	if p.h.Field != Pattern {
		p.number(v)
	}
	return p.endLine()
}

// Integer writes v, or -v if it is negative, at (i, j) of an integer or unsigned matrix, in the
// order that Entry describes. It also writes values that float64 does not hold.
func (p *Writer) Integer(i, j int, negative bool, v uint64) error {
	f := float64(v) // for checks
	if negative {
		f = -f
	}
	if !p.h.Field.whole() {
		return p.fail(i, j, fmt.Sprintf("a %v matrix wants Writer.Entry, or Writer.Complex", p.h.Field))
	}
	if err := p.checkNext(i, j, f, 0); err != nil {
		return err
	}
	switch {
	case p.h.Field == Unsigned && f < 0:
		return p.fail(i, j, fmt.Sprintf("-%d is negative; want the field integer", v))
	case !p.values.holds(f) || p.h.Symmetry == Skew && !p.values.holds(-f):
		return p.fail(i, j, fmt.Sprintf("%v is no value of Header.Type, %s", f, p.h.Type))
	}
	p.writeCoordinates(i, j)
	if f < 0 {
		p.buf = append(p.buf, '-')
	}
	p.buf = strconv.AppendUint(p.buf, v, 10)
	return p.endLine()
}

// Complex writes v at (i, j) of a complex matrix, in the order that Entry describes.
func (p *Writer) Complex(i, j int, v complex128) error {
	if p.h.Field != Complex {
		return p.fail(i, j, fmt.Sprintf("a %v matrix wants Writer.Entry", p.h.Field))
	}
	if err := p.checkNext(i, j, real(v), imag(v)); err != nil {
		return err
	}
	p.writeCoordinates(i, j)
	p.number(real(v))
	p.buf = append(p.buf, ' ')
	p.number(imag(v))
	return p.endLine()
}

// checkNext checks that the next entry may stand at (i, j).
func (p *Writer) checkNext(i, j int, re, imag float64) error {
	h := &p.h
	switch {
	case p.err != nil:
		return p.err
	case p.n == h.Entries:
		return p.fail(i, j, fmt.Sprintf("the header promised %d entries, this is one more", h.Entries))
	case uint(i) >= uint(h.Rows) || uint(j) >= uint(h.Cols):
		return p.fail(i, j, fmt.Sprintf("it is outside a matrix of %d x %d", h.Rows, h.Cols))
	case h.Symmetry != General && i < j:
		return p.fail(i, j, fmt.Sprintf("a %v file stores the triangle below the diagonal; want (%d, %d)", h.Symmetry, j, i))
	}
	if reason := h.checkEntry(i, j, re, imag); reason != "" {
		return p.fail(i, j, reason)
	}
	if h.Format == Array {
		if i != p.next.i || j != p.next.j {
			return p.fail(i, j, fmt.Sprintf("an array goes column by column; want (%d, %d)", p.next.i, p.next.j))
		}
		p.next.step(h)
	}
	return nil
}

func (p *Writer) fail(i, j int, reason string) error {
	return fmt.Errorf("mtx: entry %d at (%d, %d): %s", p.n, i, j, reason)
}

// writeCoordinates begins the line of an entry.
func (p *Writer) writeCoordinates(i, j int) {
	p.n++
	if p.h.Format == Array {
		return
	}
	p.buf = p.ints(i+1, j+1)
	if p.h.Field != Pattern {
		p.buf = append(p.buf, ' ')
	}
}

// ints appends two numbers.
func (p *Writer) ints(a, b int) []byte {
	p.buf = append(strconv.AppendInt(p.buf, int64(a), 10), ' ')
	return strconv.AppendInt(p.buf, int64(b), 10)
}

// number appends v. Whole numbers, the most frequent, need no search for the shortest.
func (p *Writer) number(v float64) {
	switch {
	case p.h.Field.whole(): // all its digits, as the shortest form ends in zeros
		if math.Signbit(v) {
			p.buf = append(p.buf, '-')
		}
		p.buf = strconv.AppendUint(p.buf, uint64(math.Abs(v)), 10)
	case math.Abs(v) < 1<<20 && v == math.Trunc(v) && (v != 0 || !math.Signbit(v)): // -0 keeps its sign below
		p.buf = strconv.AppendInt(p.buf, int64(v), 10)
	case math.IsInf(v, 1): // strconv's +Inf is no number to SciPy
		p.buf = append(p.buf, "inf"...)
	case math.IsInf(v, -1):
		p.buf = append(p.buf, "-inf"...)
	case v != v:
		p.buf = append(p.buf, "nan"...)
	default:
		p.buf = strconv.AppendFloat(p.buf, v, 'g', -1, 64)
	}
}

// endLine ends a line, and writes when enough is gathered.
func (p *Writer) endLine() error {
	p.buf = append(p.buf, '\n')
	if len(p.buf) >= writeAhead {
		p.flush()
	}
	return p.err
}

func (p *Writer) flush() {
	if p.err == nil && len(p.buf) > 0 {
		_, p.err = p.w.Write(p.buf)
	}
	p.buf = p.buf[:0]
}

// Close writes what is left. It is an error when there were fewer entries than the
// header promised. It does not close the underlying writer.
func (p *Writer) Close() error {
	p.flush()
	if p.err == nil && p.n < p.h.Entries {
		p.err = fmt.Errorf("mtx: the header promised %d entries and %d were written", p.h.Entries, p.n)
	}
	return p.err
}
