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
	o      Options
	tied   bool // MaxDim is the default, which goes with the entries
	in     *lines
	header Header
	values valueRange
	done   bool
	upper  bool // the triangle of a symmetric file, once an entry off the diagonal told
	lower  bool
	next   cursor // where the next value of an array belongs

	// For VisitWhole: values need not be float64's. size and sign are those of the entry
	// last read, and whether it is visited at its mirrored coordinates.
	exact, int64s      bool
	negative, mirrored bool
	size               uint64
}

// NewReader reads the lines of r up to the one with the size. Nothing is allocated
// for sizes that it states.
func NewReader(r io.Reader, o Options) (*Reader, error) {
	tied := o.MaxDim <= 0
	o = o.withDefaults()
	in, err := newLines(r, o)
	if err != nil {
		return nil, err
	}
	return newReader(in, o, tied)
}

// newReader is NewReader of lines.
func newReader(in *lines, o Options, tied bool) (*Reader, error) {
	d := &Reader{o: o, tied: tied, in: in}
	if err := d.readHeader(); err != nil {
		return nil, err
	}
	d.next = newCursor(d.header)
	return d, nil
}

// Header returns what the file says before its entries.
func (r *Reader) Header() Header { return r.header }

// Visit reads the entries as Read does.
func (r *Reader) Visit(visit func(i, j int, v float64) error) error {
	if r.header.Field == Complex {
		return &Error{Name: r.o.Name, Line: 1, Col: 1, Err: ErrComplex,
			Reason: "the matrix is complex and was to be read as real; want ReadComplex or VisitComplex"}
	}
	return r.each(func(i, j int, re, _ float64) error { return visit(i, j, re) })
}

// VisitComplex reads the entries as ReadComplex does.
func (r *Reader) VisitComplex(visit func(i, j int, v complex128) error) error {
	return r.each(func(i, j int, re, im float64) error { return visit(i, j, complex(re, im)) })
}

func (r *Reader) each(visit func(i, j int, re, im float64) error) error {
	if r.done {
		return errors.New("mtx: the entries of this Reader were visited before; want a new Reader")
	}
	r.done = true
	h := &r.header
	mirror := r.o.Expand && h.Symmetry != General
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
		if err != nil {
			return err
		}
		n++
		if err := visit(e.i, e.j, e.re, e.im); err != nil {
			return err
		}
		if mirror && e.i != e.j {
			e.re, e.im = h.mirror(e.re, e.im)
			r.mirrored = true
			err := visit(e.j, e.i, e.re, e.im)
			if r.mirrored = false; err != nil {
				return err
			}
		}
	}
}

// fail returns the error that reason is for byte at of the line last read.
func (r *Reader) fail(at int, reason string) error {
	return &Error{Name: r.o.Name, Line: r.in.n, Col: at + 1, Reason: reason}
}

// limit is fail for a limit of the options.
func (r *Reader) limit(at int, reason string) error {
	return &Error{Name: r.o.Name, Line: r.in.n, Col: at + 1, Reason: reason, Err: ErrLimit}
}
