package mtx

import (
	"fmt"
	"strconv"
)

// An entry is one line after the size line.
type entry struct {
	i, j   int
	re, im float64
}

// entry reads line, whose first byte is at at.
func (r *Reader) entry(line []byte, at int) (e entry, err error) {
	h := &r.header
	start := at
	if h.Format == Array {
		e.i, e.j = r.place.i, r.place.j
		r.place.step(h)
	} else {
		if e.i, at, err = r.index(line, at, "row", h.Rows); err != nil {
			return e, err
		}
		column := at
		if e.j, at, err = r.index(line, at, "column", h.Cols); err != nil {
			return e, err
		}
		if h.Symmetry != General && e.i != e.j {
			if reason := r.triangle(e.i > e.j); reason != "" {
				return e, r.fail(column, reason)
			}
		}
	}
	e.re = 1
	if h.Field == Pattern {
		if at < len(line) && r.o.Lenient {
			at = len(line)
		}
	} else {
		value := at
		if e.re, at, err = r.value(line, at); err != nil {
			return e, err
		}
		if r.values.end > 0 {
			if !r.values.holds(e.re) || h.Symmetry == Skew && !r.values.holds(-e.re) {
				return e, r.fail(value, fmt.Sprintf("%s is no value of type %s, which the line %%%%GraphBLAS type promises", quote(token(line, value)), h.Type))
			}
		}
		if h.Field == Complex {
			if e.im, at, err = r.value(line, at); err != nil {
				return e, err
			}
		}
	}
	if at < len(line) {
		also := ""
		if h.Field == Pattern {
			also = `; for its values want another field in line 1, and Options.Lenient leaves them out`
		}
		return e, r.fail(at, fmt.Sprintf("the line goes on with %s; want %s%s", quote(token(line, at)), r.wantEntry(), also))
	}
	if e.i == e.j && h.Symmetry != General && !r.o.Lenient {
		if reason := h.checkEntry(e.i, e.j, e.re, e.im); reason != "" {
			return e, r.fail(start, reason)
		}
	}
	return e, nil
}

// index reads a row or column number, from 1 to n, and returns it from 0, with the
// index of the next token.
func (r *Reader) index(line []byte, at int, what string, n int) (int, int, error) {
	if at == len(line) {
		return 0, at, r.fail(at, fmt.Sprintf("the line ends before the %s; want %s", what, r.wantEntry()))
	}
	v, end, ok := scanUint(line, at)
	if !ok {
		return 0, at, r.fail(at, fmt.Sprintf("%s is not a %s number; want digits, from 1 to %d", quote(token(line, at)), what, n))
	}
	if v-1 >= uint64(n) { // 0 wraps round
		return 0, at, r.fail(at, fmt.Sprintf("%s %s is outside the matrix; want 1 to %d", what, shorten(token(line, at)), n))
	}
	return int(v) - 1, skip(line, end), nil
}

// shorten returns digits for a sentence.
func shorten(digits []byte) string {
	if len(digits) > 24 {
		return string(digits[:20]) + "... (" + strconv.Itoa(len(digits)) + " digits)"
	}
	return string(digits)
}

// value reads a number of the file's field, and returns the index of the next token.
func (r *Reader) value(line []byte, at int) (v float64, next int, err error) {
	if at == len(line) {
		return 0, at, r.fail(at, fmt.Sprintf("the line ends before the value of a %v matrix; want %s", r.header.Field, r.wantEntry()))
	}
	var reason string
	if r.header.Field.whole() {
		v, next, reason = r.integer(line, at)
	} else {
		v, next, reason = scanFloat(line, at)
	}
	if reason != "" {
		return 0, at, r.fail(at, reason)
	}
	return v, skip(line, next), nil
}

// triangle holds a symmetric file to the triangle of its first entry off the diagonal.
func (r *Reader) triangle(lower bool) string {
	if lower {
		r.lower = true
	} else {
		r.upper = true
	}
	if r.lower && r.upper {
		return fmt.Sprintf("the file has entries above and below the diagonal; a %v one stores the triangle below only, or is general", r.header.Symmetry)
	}
	return ""
}

// wantEntry describes a line with an entry.
func (r *Reader) wantEntry() string {
	coordinates, value := "row column ", "value"
	if r.header.Format == Array {
		coordinates = ""
	}
	switch r.header.Field {
	case Pattern:
		coordinates, value = "row column", ""
	case Complex:
		value = "real imaginary"
	}
	return `"` + coordinates + value + `"`
}
