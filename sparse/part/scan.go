package part

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/tilesmith/tilesmith/sparse"
)

// FileOptions says what a reader may spend. The zero value is for files of unknown origin: memory then goes
// with what is read, not with what a file promises.
type FileOptions struct {
	Name string // of the file, for errors
	// MaxVertices bounds vertices and nets. By default they are at most 1<<22, or 4 times the
	// numbers in the file if that is more, up to [sparse.MaxDim]. A vertex without a net costs memory, but no
	// text.
	MaxVertices int
	MaxNumbers  int // in the file; default 1<<31 - 1
}

const freeVertices = 1 << 22

// FileError says what is wrong in a file, and where.
type FileError struct {
	Name   string // FileOptions.Name, "" for none
	Line   int    // from 1
	Reason string // one sentence
	Err    error  // of the reader, often nil
}

// Error returns "name:line: reason".
func (e *FileError) Error() string {
	name := e.Name
	if name == "" {
		name = "input"
	}
	return fmt.Sprintf("part: %s:%d: %s", name, e.Line, e.Reason)
}

// Unwrap returns the error of the reader.
func (e *FileError) Unwrap() error { return e.Err }

// scanner reads lines of integers. A comment begins with % and goes to the end of the
// line.
type scanner struct {
	r       *bufio.Reader
	o       FileOptions
	line    int
	numbers int // read so far
	list    []int32
	ended   bool
}

func newScanner(r io.Reader, o FileOptions) *scanner {
	if o.MaxNumbers == 0 {
		o.MaxNumbers = math.MaxInt32
	}
	return &scanner{r: bufio.NewReaderSize(r, 1<<16), o: o}
}

func (s *scanner) fail(format string, args ...any) error {
	return &FileError{Name: s.o.Name, Line: s.line, Reason: fmt.Sprintf(format, args...)}
}

// next returns the numbers of the next line, valid until the call after it. Lines of comment are passed; empty
// ones are if blank is not set. At the end of the file it returns io.EOF.
func (s *scanner) next(blank bool) ([]int32, error) {
	for !s.ended {
		s.list = s.list[:0]
		s.line++
		comment, any, err := s.read()
		if err != nil {
			return nil, err
		}
		if len(s.list) == 0 && (comment || !blank || s.ended && !any) {
			continue
		}
		return s.list, nil
	}
	return nil, io.EOF
}

// read appends the numbers of a line, and reports whether it has a comment, and any byte.
func (s *scanner) read() (comment, any bool, err error) {
	value, digits := int64(0), 0
	end := func() error {
		if digits == 0 {
			return nil
		}
		if s.numbers++; s.numbers > s.o.MaxNumbers {
			return s.fail("there are more than %d numbers; FileOptions.MaxNumbers allows no more", s.o.MaxNumbers)
		}
		s.list = append(s.list, int32(value))
		value, digits = 0, 0
		return nil
	}
	for {
		c, err := s.r.ReadByte()
		if errors.Is(err, io.EOF) {
			s.ended = true
			return comment, any, end()
		}
		if err != nil {
			return comment, any, &FileError{Name: s.o.Name, Line: s.line, Reason: "reading failed: " + err.Error(), Err: err}
		}
		any = true
		switch {
		case c == '\n':
			return comment, any, end()
		case comment:
		case c >= '0' && c <= '9':
			value = 10*value + int64(c-'0')
			if digits++; value > math.MaxInt32 {
				return comment, any, s.fail("a number is more than %d", math.MaxInt32)
			}
		case c == ' ' || c == '\t' || c == '\r':
			if err := end(); err != nil {
				return comment, any, err
			}
		case c == '%':
			if err := end(); err != nil {
				return comment, any, err
			}
			comment = true
		default:
			return comment, any, s.fail("%s is no digit; all numbers are integers, none is negative", strconv.QuoteToASCII(string(rune(c))))
		}
	}
}

// need is next where the file must go on.
func (s *scanner) need(blank bool, what string, args ...any) ([]int32, error) {
	list, err := s.next(blank)
	if err == io.EOF {
		return nil, &FileError{Name: s.o.Name, Line: s.line, Reason: fmt.Sprintf("the file ends before "+what, args...), Err: io.ErrUnexpectedEOF}
	}
	return list, err
}

// finish checks that nothing but comments and empty lines is left.
func (s *scanner) finish(after string) error {
	list, err := s.next(false)
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	return s.fail("there are %d numbers after the last %s", len(list), after)
}

// most bounds a number of vertices or nets, once all numbers are read.
func (s *scanner) most(what string, n int32) error {
	limit := s.o.MaxVertices
	if limit == 0 {
		limit = int(min(sparse.MaxDim, max(freeVertices, 4*int64(s.numbers))))
	}
	if int(n) > limit {
		return s.fail("%d %s for %d numbers; FileOptions.MaxVertices allows %d", n, what, s.numbers, limit)
	}
	return nil
}
