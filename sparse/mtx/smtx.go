package mtx

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// An SMTX is a sparse pattern as the Deep Learning Matrix Collection stores pruned
// weights, in files that end in .smtx. It has rows by compressed pointers and no
// values.
//
//	rows, cols, entries
//	0 2 2 3             where each row begins in the next line, and the end
//	0 3 1               the columns, from 0
type SMTX struct {
	Rows, Cols int
	RowPtr     []int // Rows + 1, from 0 to len(ColIdx), never falling
	ColIdx     []int // in the order of the file, below Cols
}

// Check returns nil or what breaks the rules that the fields state.
func (m SMTX) Check() error {
	switch {
	case m.Rows < 0 || m.Cols < 0:
		return fmt.Errorf("smtx: %d rows and %d columns; want none below 0", m.Rows, m.Cols)
	case len(m.RowPtr)-1 != m.Rows:
		return fmt.Errorf("smtx: %d row pointers for %d rows; want one more than rows", len(m.RowPtr), m.Rows)
	case m.RowPtr[0] != 0:
		return fmt.Errorf("smtx: the first row pointer is %d; want 0", m.RowPtr[0])
	case m.RowPtr[m.Rows] != len(m.ColIdx):
		return fmt.Errorf("smtx: the last row pointer is %d; want the number of entries, %d", m.RowPtr[m.Rows], len(m.ColIdx))
	}
	for i := range m.Rows {
		if m.RowPtr[i+1] < m.RowPtr[i] {
			return fmt.Errorf("smtx: the row pointers fall from %d to %d at row %d", m.RowPtr[i], m.RowPtr[i+1], i)
		}
	}
	for k, j := range m.ColIdx {
		if uint(j) >= uint(m.Cols) {
			return fmt.Errorf("smtx: column %d of entry %d; want 0 to %d", j, k, m.Cols-1)
		}
	}
	return nil
}

// Visit calls visit for each entry of a checked m, row by row, with the value 1, as
// Read does for a pattern. An error of visit ends it and is returned.
func (m SMTX) Visit(visit func(i, j int, v float64) error) error {
	for i := range m.Rows {
		for _, j := range m.ColIdx[m.RowPtr[i]:m.RowPtr[i+1]] {
			if err := visit(i, j, 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteSMTX writes m, after Check.
func WriteSMTX(w io.Writer, m SMTX) error {
	if err := m.Check(); err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, writeAhead)
	fmt.Fprintf(b, "%d, %d, %d\n", m.Rows, m.Cols, len(m.ColIdx))
	var digits [20]byte
	for _, list := range [][]int{m.RowPtr, m.ColIdx} {
		for k, v := range list {
			if k > 0 {
				b.WriteByte(' ')
			}
			b.Write(strconv.AppendInt(digits[:0], int64(v), 10))
		}
		b.WriteByte('\n')
	}
	return b.Flush() // which returns the first error of all
}

// ReadSMTX reads an .smtx file, plain or gzip. Any white space separates numbers;
// commas may, on the first line. The result passes Check; errors of the text are an
// *Error. Memory grows with the numbers read, not with those promised: at most 16 bytes
// for each byte of text. MaxLine does not apply, as lines are as long as the matrix is
// large.
func ReadSMTX(r io.Reader, o Options) (SMTX, error) {
	o = o.withDefaults()
	src, err := open(r, o)
	if err != nil {
		return SMTX{}, &Error{Name: o.Name, Line: 1, Col: 1, Reason: err.Error(), Err: err}
	}
	s := &scanner{b: bufio.NewReaderSize(src, 1<<16), o: o, line: 1}
	m, err := s.matrix()
	if err != nil {
		return SMTX{}, err
	}
	return m, nil
}

// matrix reads the whole file.
func (s *scanner) matrix() (m SMTX, err error) {
	var n int
	s.comma = true
	for _, p := range s.o.sizes(&m.Rows, &m.Cols, &n) {
		what := "the number of " + p.what
		v, err := s.number(what)
		if err != nil {
			return m, err
		}
		if v > uint64(p.most) {
			e := s.fail(fmt.Sprintf("%s, %d, is more than Options.%s, %d", what, v, p.option, p.most))
			e.Err = ErrLimit
			return m, e
		}
		*p.p = int(v)
	}
	s.comma = false
	last := uint64(0)
	for i := range m.Rows + 1 {
		v, err := s.number("a row pointer")
		switch {
		case err != nil:
			return m, err
		case v < last || v > uint64(n) || i == 0 && v != 0 || i == m.Rows && v != uint64(n):
			return m, s.fail(fmt.Sprintf("row pointer %d is %d; want 0 first, then never less than the one before, and %d last", i, v, n))
		}
		last = v
		m.RowPtr = append(grow(m.RowPtr, 1, m.Rows+1), int(v))
	}
	for k := range n {
		v, err := s.number("a column index")
		if err != nil {
			return m, err
		}
		if v >= uint64(m.Cols) {
			return m, s.fail(fmt.Sprintf("column %d of entry %d; columns count from 0, want less than %d", v, k, m.Cols))
		}
		m.ColIdx = append(grow(m.ColIdx, 1, n), int(v))
	}
	c, err := s.next()
	if err == nil {
		return m, s.fail(fmt.Sprintf("the file goes on with %s after its %d columns", quote([]byte{c}), n))
	}
	if !errors.Is(err, io.EOF) {
		return m, s.readFail(err)
	}
	return m, nil
}
