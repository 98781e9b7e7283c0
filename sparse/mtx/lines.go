package mtx

import (
	"bytes"
	"errors"
	"io"
)

// lines cuts a text into lines, in a buffer that grows to the longest line met. It
// never grows beyond what shows that a line is longer than Options.MaxLine.
//
//	buf  [ lines given | next line ... | free ]
//	     0             start           end
type lines struct {
	r          io.Reader
	o          Options
	buf        []byte
	start, end int
	err        error // of r, to be told after the lines before it
	n          int   // the number of the line that next gave last
	cut        bool  // it was the last and had no end
}

func newLines(r io.Reader, o Options) (*lines, error) {
	text, err := open(r, o)
	if err != nil {
		return nil, &Error{Name: o.Name, Line: 1, Col: 1, Reason: err.Error(), Err: err}
	}
	return linesOf(text, o), nil
}

// linesOf is newLines of what open returned.
func linesOf(text io.Reader, o Options) *lines {
	return &lines{r: text, o: o, buf: make([]byte, 1<<16)}
}

// next returns the next line without its end, "\n" or "\r\n". It is valid until the
// call after. The error is io.EOF after the last line, and otherwise an *Error.
func (l *lines) next() ([]byte, error) {
	for seen := l.start; ; {
		if k := bytes.IndexByte(l.buf[seen:l.end], '\n'); k >= 0 {
			line := l.buf[l.start : seen+k]
			l.start = seen + k + 1
			return l.give(line)
		}
		if l.end-l.start > l.o.MaxLine+1 { // 1 for a '\r'
			return nil, l.tooLong()
		}
		if l.err != nil {
			return l.last()
		}
		seen = l.end
		l.makeRoom(&seen)
		var n int
		n, l.err = l.r.Read(l.buf[l.end:])
		l.end += n
	}
}

// give returns line as the next one.
func (l *lines) give(line []byte) ([]byte, error) {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	if len(line) > l.o.MaxLine {
		return nil, l.tooLong()
	}
	l.n++
	return line, nil
}

// last returns what comes when the reader has no more: a line without end, then io.EOF,
// or its error.
func (l *lines) last() ([]byte, error) {
	rest := l.buf[l.start:l.end]
	if !errors.Is(l.err, io.EOF) {
		return nil, &Error{Name: l.o.Name, Line: l.n + 1, Col: len(rest) + 1, Reason: readError(l.err), Err: l.err}
	}
	if len(rest) == 0 {
		return nil, io.EOF
	}
	l.start, l.cut = l.end, true
	return l.give(rest)
}

// makeRoom leaves free bytes at the end of the buffer.
func (l *lines) makeRoom(seen *int) {
	if l.start > 0 {
		copy(l.buf, l.buf[l.start:l.end])
		l.end -= l.start
		*seen -= l.start
		l.start = 0
	}
	if l.end == len(l.buf) {
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
}

func (l *lines) tooLong() error {
	return &Error{Name: l.o.Name, Line: l.n + 1, Col: l.o.MaxLine + 1, Err: ErrLimit,
		Reason: "the line is longer than Options.MaxLine; want one entry a line"}
}
