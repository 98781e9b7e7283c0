package mtx

import (
	"errors"
	"fmt"
	"io"
)

// Read reads a Matrix Market file, plain or gzip. It calls visit for each entry in the order of
// the file, with rows and columns from 0. Entries with the same coordinates, which by convention
// add up, are visited one by one.
//
// A pattern is visited with 1, a complex file is refused: see ReadComplex. An error of
// the text is an *Error; an error of visit ends the reading and is returned unchanged.
// The header is also returned with an error that came after it.
func Read(r io.Reader, o Options, visit func(i, j int, v float64) error) (Header, error) {
	d, err := NewReader(r, o)
	if err != nil {
		return Header{}, err
	}
	return d.Header(), d.Visit(visit)
}

// ReadComplex is Read for a matrix of any field as a complex one.
func ReadComplex(r io.Reader, o Options, visit func(i, j int, v complex128) error) (Header, error) {
	d, err := NewReader(r, o)
	if err != nil {
		return Header{}, err
	}
	return d.Header(), d.VisitComplex(visit)
}

// A Reader has read the header of a Matrix Market file, and reads the entries once
// with Visit or VisitComplex. It is for callers that need the size first.
type Reader struct {
	text
	values       valueRange
	upper, lower bool   // the triangle of a symmetric file, once an entry off the diagonal told
	place        cursor // where the next value of an array belongs
}

// NewReader reads the lines of r up to the one with the size. Nothing is allocated
// for sizes that it states.
func NewReader(r io.Reader, o Options) (*Reader, error) {
	t, err := newText(r, o, kindReader)
	if err != nil {
		return nil, err
	}
	return newReader(t)
}

// newReader is NewReader of lines.
func newReader(t text) (*Reader, error) {
	d := &Reader{text: t}
	d.entries = d.lines
	if err := d.readHeader(); err != nil {
		return nil, err
	}
	d.place = newCursor(d.header)
	return d, nil
}

// lines reads the entries, one a line.
func (r *Reader) lines() error {
	h := &r.header
	for n := 0; ; {
		line, err := r.in.next()
		if errors.Is(err, io.EOF) {
			if n < h.Entries {
				return &Error{Name: r.o.Name, Line: r.in.n + 1, Col: 1,
					Reason: fmt.Sprintf("the file ends after %d of the %d entries that its size line promises", n, h.Entries)}
			}
			return nil
		} else if err != nil {
			return err
		}
		at := skip(line, 0)
		if at == len(line) || line[at] == '%' {
			continue
		}
		if n == h.Entries {
			return r.fail(at, fmt.Sprintf("an entry beyond the %d that the size line promises; correct the count, or remove the line", n))
		}
		e, err := r.entry(line, at)
		if err == nil {
			err = r.give(e.i, e.j, e.re, e.im)
		}
		if err != nil {
			return err
		}
		n++
	}
}
