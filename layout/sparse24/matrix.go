package sparse24

import (
	"fmt"
	"math"
	"slices"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Elem is every type whose sparse products tensor cores have.
type Elem interface {
	dtype.Elem
	float32 | dtype.F16 | dtype.BF16 | dtype.F8E4M3 | dtype.F8E5M2 | int8 | uint8
}

// Matrix is a rows x cols matrix that stores half of its elements. It cannot be changed,
// and may be used by several goroutines. The zero Matrix is 0 x 0.
type Matrix[T Elem] struct {
	rows, cols int
	values     []T
	meta       []int32
}

// A RuleError says where a matrix, or its metadata, breaks the 2:4 rule first.
type RuleError struct {
	Row, Col int // the first column of the chunk
	Why      string
}

func (e RuleError) Error() string {
	return fmt.Sprintf("sparse24: row %d, columns from %d: %s", e.Row, e.Col, e.Why)
}

// shape is how a matrix of some type lies.
type shape struct {
	rows, cols int
	chunk      int // elements, of which half are stored
	deep       int // columns of an instruction
	bytes      bool
}

func shapeOf[T Elem](rows, cols int) shape {
	switch size := dtype.Of[T]().Size(); size {
	case 4:
		return shape{rows, cols, 2, 16, false}
	default:
		return shape{rows, cols, 4, 64 / size, size == 1}
	}
}

// Sizes returns how many values a row of a cols wide matrix has, and how many words of
// metadata each 16 rows have. It is for who allocates and addresses them; cols is at least 0.
func Sizes[T Elem](cols int) (values, meta int) {
	s := shapeOf[T](0, cols)
	return s.width() / 2, s.width() / s.deep * s.words()
}

// width is the columns with padding.
func (s shape) width() int { return (s.cols + s.deep - 1) / s.deep * s.deep }

// words are those of metadata for 16 rows and the depth of an instruction.
func (s shape) words() int { return 2 * s.deep / s.chunk }

// blocks are the rows in sixteens.
func (s shape) blocks() int { return s.rows/16 + min(s.rows%16, 1) }

// at returns the word and the bit of the metadata of a chunk of a row.
func (s shape) at(row, chunk int) (word, bit int) {
	each := s.deep / s.chunk
	block := (row/16*(s.width()/s.deep) + chunk/each) * s.words()
	g, high, c := row%8, row%16/8, chunk%each
	if s.bytes {
		return block + 4*g + c/8*2 + high, c % 8 * 4
	}
	return block + 2*g + c/4, 16*high + c%4*4
}

// fits returns an error unless sizes are no less than 0 and the stored elements are no
// more than limit. That bounds all that is allocated.
func (s shape) fits(what string, limit int) error {
	if s.rows < 0 || s.cols < 0 {
		return layout.ShapeError{What: what, Why: fmt.Sprintf("size %d x %d is negative; want 0 or more", s.rows, s.cols)}
	}
	if s.rows > math.MaxInt/64-16 || s.cols > math.MaxInt-64 || s.rows > 0 && s.width() > math.MaxInt/8/(s.rows+15) {
		return layout.ShapeError{What: what, Why: fmt.Sprintf("size %d x %d is too large", s.rows, s.cols)}
	}
	if s.rows > 0 && s.cols > limit/s.rows {
		return layout.ShapeError{What: what, Why: fmt.Sprintf("size %d x %d is more than the %d elements that are there; want a matrix whose rows and columns do not repeat", s.rows, s.cols, limit)}
	}
	return nil
}

// Rows returns the number of rows.
func (m *Matrix[T]) Rows() int { return m.rows }

// Cols returns the number of columns, without padding.
func (m *Matrix[T]) Cols() int { return m.cols }

// Values returns a copy of what is stored, row by row with padding: see [Sizes].
func (m *Matrix[T]) Values() []T { return slices.Clone(m.values) }

// Meta returns a copy of the metadata.
func (m *Matrix[T]) Meta() []int32 { return slices.Clone(m.meta) }

// New makes a matrix of what [Matrix.Values] and [Matrix.Meta] of another returned, which
// it copies. It fails with a [layout.ShapeError] if their lengths are not those of a rows x cols
// matrix. It fails with a [RuleError] if metadata names no elements, or padding is not zero.
func New[T Elem](rows, cols int, values []T, meta []int32) (*Matrix[T], error) {
	s := shapeOf[T](rows, cols)
	if rows > 0 && cols > 0 || rows < 0 || cols < 0 {
		// Twice the values are all columns with padding, so this bounds the products below.
		if err := s.fits("sparse24.New", 2*len(values)); err != nil {
			return nil, err
		}
	} else {
		s.rows, s.cols = 0, 0
	}
	if v, w := s.rows*s.width()/2, s.blocks()*s.words()*(s.width()/s.deep); len(values) != v || len(meta) != w {
		return nil, layout.ShapeError{What: "sparse24.New", Why: fmt.Sprintf("%d values and %d words of metadata; want %d and %d for %d x %d", len(values), len(meta), v, w, rows, cols)}
	}
	m := &Matrix[T]{rows, cols, slices.Clone(values), slices.Clone(meta)}
	if err := m.check(s); err != nil {
		return nil, err
	}
	return m, nil
}

// check holds all metadata against the rule, padding too.
func (m *Matrix[T]) check(s shape) error {
	for i := range s.blocks() * 16 {
		for c := range s.width() / s.chunk {
			word, bit := s.at(i, c)
			first, second, ok := s.places(m.meta[word] >> bit & 15)
			if !ok {
				return RuleError{i, c * s.chunk, s.wrong(m.meta[word] >> bit & 15)}
			}
			if i >= s.rows || (c+1)*s.chunk <= s.cols {
				continue
			}
			for n, place := range []int{first, second}[:s.chunk/2] {
				if c*s.chunk+place >= s.cols && magnitude(m.values[(i*s.width()+c*s.chunk)/2+n]) != 0 {
					return RuleError{i, c * s.chunk, fmt.Sprintf("column %d is not zero, the matrix has %d columns; Pack pads with zeros", c*s.chunk+place, s.cols)}
				}
			}
		}
	}
	return nil
}

// places returns which elements of a chunk four bits name; of one that is one of two, first
// is it. ok is false if they name none.
func (s shape) places(code int32) (first, second int, ok bool) {
	if s.chunk == 2 {
		return int(code >> 3), 0, code == 0b0100 || code == 0b1110
	}
	first, second = int(code&3), int(code>>2)
	return first, second, first < second
}

func (s shape) wrong(code int32) string {
	if s.chunk == 2 {
		return fmt.Sprintf("its metadata is %04b; want 0100 for the first of two or 1110 for the second", code)
	}
	return fmt.Sprintf("its metadata is %04b, which are elements %d and %d of the four; want two that ascend, as Pack makes them", code, code&3, code>>2)
}

// Unpack returns the matrix with its zeros, row-major.
func (m *Matrix[T]) Unpack() layout.Matrix[T] {
	out := layout.New[T](m.rows, m.cols)
	if m.cols == 0 { // of which there may be any number of rows
		return out
	}
	s := shapeOf[T](m.rows, m.cols)
	for i := range m.rows {
		for j, x := range m.row(s, i) {
			out.Set(i, j, x)
		}
	}
	return out
}

// row calls yield with the column and the value of what is stored of row i, without padding.
func (m *Matrix[T]) row(s shape, i int) func(yield func(j int, x T) bool) {
	return func(yield func(j int, x T) bool) {
		for c := range (s.cols + s.chunk - 1) / s.chunk {
			word, bit := s.at(i, c)
			first, second, _ := s.places(m.meta[word] >> bit & 15)
			for n, place := range []int{first, second}[:s.chunk/2] {
				if j := c*s.chunk + place; j < s.cols && !yield(j, m.values[(i*s.width()+c*s.chunk)/2+n]) {
					return
				}
			}
		}
	}
}

// Row calls yield with the column and the value of what is stored of row i, by columns. Some
// of it may be zero. It panics if there is no row i.
func (m *Matrix[T]) Row(i int) func(yield func(j int, x T) bool) {
	if i < 0 || i >= m.rows {
		panic(layout.ShapeError{What: "sparse24.Row", Why: fmt.Sprintf("row %d of a %d x %d matrix", i, m.rows, m.cols)})
	}
	return m.row(shapeOf[T](m.rows, m.cols), i)
}
