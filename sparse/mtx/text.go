package mtx

import (
	"errors"
	"fmt"
	"io"
)

// A text is a file of text with the entries of a matrix, which are read once: what a [Reader] and an [HB] have in
// common.
type text struct {
	textKind
	o       Options
	tied    bool // MaxDim is the default, which goes with the entries
	in      *lines
	header  Header
	done    bool
	entries func() error // calls give for each entry that is stored
	visit   func(i, j int, re, im float64) error

	// For VisitWhole: values need not be float64's. size and sign are those of the entry last
	// read, and whether it is visited at its mirrored coordinates.
	exact, int64s      bool
	negative, mirrored bool
	size               uint64
}

// A textKind is what errors say of one format: its type here, the line that has the kind of matrix, and who reads
// complex ones.
type textKind struct {
	reader  string
	line    int
	complex string
}

var (
	kindReader = textKind{"Reader", 1, "ReadComplex or VisitComplex"}
	kindHB     = textKind{"HB", 3, "VisitComplex"}
)

func newText(r io.Reader, o Options, k textKind) (t text, err error) {
	t = text{textKind: k, tied: o.MaxDim <= 0, o: o.withDefaults()}
	t.in, err = newLines(r, t.o)
	return t, err
}

// Header returns what the file says before its entries. The one comment of an [HB] is its title.
func (t *text) Header() Header { return t.header }

// Visit reads the values and calls visit for each entry as [Read] does, with Options.Expand
// for the mirrored ones, too: in the order of the file, which for an [HB] goes column after column.
func (t *text) Visit(visit func(i, j int, v float64) error) error {
	if t.header.Field == Complex {
		return &Error{Name: t.o.Name, Line: t.line, Col: 1, Err: ErrComplex,
			Reason: "the matrix is complex and was to be read as real; want " + t.complex}
	}
	return t.each(func(i, j int, re, _ float64) error { return visit(i, j, re) })
}

// VisitComplex is Visit for a matrix of any field as a complex one.
func (t *text) VisitComplex(visit func(i, j int, v complex128) error) error {
	return t.each(func(i, j int, re, im float64) error { return visit(i, j, complex(re, im)) })
}

// VisitWhole is Visit for an integer or unsigned matrix or a pattern, with values as they are, also those that
// float64 does not hold. visit gets their sizes, and whether they are below 0.
func (t *text) VisitWhole(visit func(i, j int, negative bool, size uint64) error) error {
	if reason := t.header.Field.noInteger(); reason != "" {
		return &Error{Name: t.o.Name, Line: t.line, Col: 1, Reason: reason}
	}
	t.exact = true
	return t.each(func(i, j int, _, _ float64) error {
		flip := t.header.Symmetry == Skew && t.mirrored
		if t.header.Field == Pattern {
			return visit(i, j, flip, 1)
		}
		return visit(i, j, t.negative != flip && t.size > 0, t.size)
	})
}

func (t *text) each(visit func(i, j int, re, im float64) error) error {
	if t.done {
		return fmt.Errorf("mtx: the entries of this %s were visited before; want a new %[1]s", t.reader)
	}
	t.done, t.visit = true, visit
	return t.entries()
}

// give visits an entry, and its mirrored one if that is wanted.
func (t *text) give(i, j int, re, im float64) error {
	if err := t.visit(i, j, re, im); err != nil || i == j || !t.o.Expand || t.header.Symmetry == General {
		return err
	}
	re, im = t.header.mirror(re, im)
	t.mirrored = true
	err := t.visit(j, i, re, im)
	t.mirrored = false
	return err
}

// next returns the next line; what is what the file lacks if there is none.
func (t *text) next(what string) ([]byte, error) {
	line, err := t.in.next()
	if errors.Is(err, io.EOF) {
		return nil, &Error{Name: t.o.Name, Line: t.in.n + 1, Col: 1, Reason: "the file ends before " + what}
	}
	return line, err
}

// fail returns the error that reason is for byte at of the line last read.
func (t *text) fail(at int, reason string) error {
	return &Error{Name: t.o.Name, Line: t.in.n, Col: at + 1, Reason: reason}
}

// limit is fail for a limit of the options.
func (t *text) limit(at int, reason string) error {
	return &Error{Name: t.o.Name, Line: t.in.n, Col: at + 1, Reason: reason, Err: ErrLimit}
}
