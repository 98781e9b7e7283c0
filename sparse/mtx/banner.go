package mtx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

const wantBanner = "want %%MatrixMarket matrix, then coordinate or array, then real, integer, complex or pattern, " +
	"then general, symmetric, skew-symmetric or hermitian"

// maxComments bounds what Header.Comments may hold, in bytes.
const maxComments = 1 << 20

// readHeader reads all lines up to the one with the size.
func (r *Reader) readHeader() error {
	line, err := r.in.next()
	if errors.Is(err, io.EOF) {
		return &Error{Name: r.o.Name, Line: 1, Col: 1, Reason: "the file is empty; " + wantBanner}
	} else if err != nil {
		return err
	}
	if err := r.readBanner(line); err != nil {
		return err
	}
	kept := 0
	for {
		line, err := r.next("its size line; want " + r.wantSize())
		if err != nil {
			return err
		}
		at := skip(line, 0)
		switch {
		case at == len(line):
		case line[at] != '%':
			return r.readSize(line, at)
		default:
			kept += len(line) + 16 // a string header for an empty one
			if kept > maxComments {
				return r.fail(at, "there is more than a MiB of comments before the size line; leave some out")
			}
			if err := r.readComment(line[at+1:], at); err != nil {
				return err
			}
		}
	}
}

// readBanner reads line 1.
func (r *Reader) readBanner(line []byte) error {
	h := &r.header
	at := 0
	if bytes.HasPrefix(line, []byte("\xef\xbb\xbf")) {
		at = 3 // some editors begin UTF-8 with it
	}
	for k := range 5 {
		at = skip(line, at)
		t := token(line, at)
		if len(t) == 0 {
			return r.fail(at, fmt.Sprintf("line 1 has %d of its 5 words; %s", k, wantBanner))
		}
		var reason string
		switch k {
		case 0:
			if !strings.EqualFold(string(t), "%%MatrixMarket") {
				return r.fail(at, quote(t)+" is not how a Matrix Market file begins; "+wantBanner)
			}
		case 1:
			if !strings.EqualFold(string(t), "matrix") {
				reason = quote(t) + " is no object of Matrix Market; want matrix"
			}
		case 2:
			var f uint8
			f, reason = word(formats, t)
			h.Format = Format(f)
		case 3:
			var f uint8
			f, reason = word(fields, t)
			h.Field = Field(f)
		case 4:
			var s uint8
			s, reason = word(symmetries, t)
			h.Symmetry = Symmetry(s)
			if reason == "" {
				reason = h.checkKind(r.o.Lenient)
			}
		}
		if reason != "" {
			return r.fail(at, reason)
		}
		at += len(t)
	}
	if at = skip(line, at); at < len(line) {
		return r.fail(at, "line 1 goes on with "+quote(token(line, at))+" after its 5 words; "+wantBanner)
	}
	return nil
}

// readComment reads what follows a '%', which stands at byte at.
func (r *Reader) readComment(text []byte, at int) error {
	h := &r.header
	s := strings.TrimRight(string(text), "\r")
	t, ok := graphBLASType(s)
	if !ok {
		h.Comments = append(h.Comments, s)
		return nil
	}
	if t == "" {
		return r.fail(at, "a line %%GraphBLAS type names a type; want one such as float, or no line")
	}
	if h.Type != "" {
		return r.fail(at, "a second line %%GraphBLAS type; want one")
	}
	h.Type = t
	var reason string
	if r.values, reason = h.rangeOf(); reason != "" {
		return r.fail(at, reason)
	}
	return nil
}

// wantSize describes the size line.
func (r *Reader) wantSize() string {
	if r.header.Format == Array {
		return `"rows columns"`
	}
	return `"rows columns entries"`
}

// readSize reads the size line, whose first byte is at at.
func (r *Reader) readSize(line []byte, at int) error {
	h := &r.header
	sizes := r.o.sizes(&h.Rows, &h.Cols, &h.Entries)
	if h.Format == Array {
		sizes = sizes[:2]
	}
	start := at
	for k, s := range sizes {
		if at == len(line) {
			return r.fail(at, fmt.Sprintf("the size line has %d numbers; want %s", k, r.wantSize()))
		}
		v, end, ok := scanUint(line, at)
		if !ok {
			return r.fail(at, fmt.Sprintf("%s is not a number of %s; want %s, in digits", quote(token(line, at)), s.what, r.wantSize()))
		}
		if v > uint64(s.most) {
			return r.limit(at, s.beyond(shorten(token(line, at))))
		}
		*s.p = int(v)
		at = skip(line, end)
	}
	if at < len(line) {
		return r.fail(at, fmt.Sprintf("the size line goes on with %s; want %s", quote(token(line, at)), r.wantSize()))
	}
	if reason := h.checkSize(); reason != "" {
		return r.fail(start, reason)
	}
	if h.Format == Array {
		n := h.arrayEntries()
		if n > uint64(r.o.MaxEntries) {
			return r.limit(start, fmt.Sprintf("an array of %d x %d has more values than Options.MaxEntries, %d", h.Rows, h.Cols, r.o.MaxEntries))
		}
		h.Entries = int(n)
	}
	return r.checkDims(start)
}

// checkDims holds the sizes to the default of Options.MaxDim. All entries are known to
// be there before anyone can have allocated memory for rows: a file that ends early is
// an error.
func (r *Reader) checkDims(at int) error {
	h := &r.header
	if !r.tied || max(h.Rows, h.Cols) <= mostDim(h.Entries) {
		return nil
	}
	return r.limit(at, fmt.Sprintf("%d x %d with %d entries; without Options.MaxDim sizes are at most %d, or %d times the entries; set it if the matrix is meant to be so empty",
		h.Rows, h.Cols, h.Entries, freeDim, dimPerEntry))
}
