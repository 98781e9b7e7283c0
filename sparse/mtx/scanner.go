package mtx

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// A scanner reads numbers from lines of any length.
type scanner struct {
	b         *bufio.Reader
	o         Options
	line, col int                     // of the byte last read
	comma     bool                    // may separate, too
	at        struct{ line, col int } // of the number last begun
}

// next returns the next byte that is not a separator.
func (s *scanner) next() (byte, error) {
	for {
		c, err := s.b.ReadByte()
		if err != nil {
			s.at.line, s.at.col = s.line, s.col+1
			return 0, err
		}
		s.col++
		if !s.separator(c) {
			s.at.line, s.at.col = s.line, s.col
			return c, nil
		}
	}
}

// separator reports whether c stands between numbers, and counts lines.
func (s *scanner) separator(c byte) bool {
	switch c {
	case '\n':
		s.line++
		s.col = 0
		return true
	case ' ', '\t', '\r':
		return true
	case ',':
		return s.comma
	}
	return false
}

// number reads the next number, which what names.
func (s *scanner) number(what string) (uint64, error) {
	c, err := s.next()
	if errors.Is(err, io.EOF) {
		return 0, s.fail("the file ends before " + what)
	} else if err != nil {
		return 0, s.readFail(err)
	}
	var v uint64
	for {
		d := c - '0'
		if d > 9 {
			return 0, s.fail(fmt.Sprintf("%s has %s in it; want decimal digits", what, quote([]byte{c})))
		}
		if v >= 1<<63/10 {
			return 0, s.fail(what + " is too large")
		}
		v = v*10 + uint64(d)
		c, err = s.b.ReadByte()
		if errors.Is(err, io.EOF) {
			return v, nil
		} else if err != nil {
			return 0, s.readFail(err)
		}
		s.col++
		if s.separator(c) {
			return v, nil
		}
	}
}

// fail returns the error that reason is for the number last begun.
func (s *scanner) fail(reason string) *Error {
	return &Error{Name: s.o.Name, Line: s.at.line, Col: s.at.col, Reason: reason}
}

// readFail returns err, which the source gave, as an error of this file.
func (s *scanner) readFail(err error) *Error {
	return &Error{Name: s.o.Name, Line: s.line, Col: s.col + 1, Reason: readError(err), Err: err}
}
