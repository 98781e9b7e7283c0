package sparse

import (
	"fmt"
	"iter"
	"slices"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Entry is one stored element: value K sits in row I, column J.
type Entry struct{ I, J, K int }

// Matrix is a sparse matrix in compressed rows. It cannot be changed, and its
// indices were checked when it was made; that is what lets a kernel trust them.
// The zero Matrix is 0 x 0. Pass it by value, as a slice.
type Matrix[T dtype.Value] struct {
	shape
	values []T
}

// Sorted reports whether the columns of every row ascend; duplicates may be there.
func (m Matrix[T]) Sorted() bool { return !m.s.some().unsorted }

// HasDuplicates reports whether some element has several entries.
func (m Matrix[T]) HasDuplicates() bool { return m.s.some().duplicates }

// String says what the matrix is, not what is in it.
func (m Matrix[T]) String() string { return m.s.describe(dtype.Name[T]()) }

func (s *csr) describe(of string) string {
	return fmt.Sprintf("%d x %d with %d entries of %s", s.some().rows, s.some().cols, len(s.some().indices), of)
}

// All yields every entry, row by row as stored, with its value; K counts from 0.
func (m Matrix[T]) All() iter.Seq2[Entry, T] {
	return func(yield func(Entry, T) bool) {
		for e := range m.s.places() {
			if !yield(e, m.values[e.K]) {
				return
			}
		}
	}
}

// places yields every entry, row by row as stored.
func (s *csr) places() iter.Seq[Entry] {
	s = s.some()
	return func(yield func(Entry) bool) {
		for i := range s.rows {
			for k := s.pointers[i]; k < s.pointers[i+1]; k++ {
				if !yield(Entry{i, int(s.indices[k]), int(k)}) {
					return
				}
			}
		}
	}
}

// Row yields the column and value of every entry of row i, as stored. It panics with
// a [layout.ShapeError] if there is no such row.
func (m Matrix[T]) Row(i int) iter.Seq2[int, T] {
	columns := m.s.row("Matrix.Row", i)
	return func(yield func(int, T) bool) {
		values := m.values[m.s.pointers[i]:]
		for k, j := range columns {
			if !yield(int(j), values[k]) {
				return
			}
		}
	}
}

// At returns element (i, j): the sum of its entries, 0 if there are none. It takes
// the logarithm of the row's entries if the matrix is sorted. It panics with a
// [layout.ShapeError] if the indices are out of range.
func (m Matrix[T]) At(i, j int) T {
	m.s.check("Matrix.At", i, j)
	row := m.s.columns(i)
	values := m.values[m.s.pointers[i]:]
	from := 0
	if !m.s.unsorted {
		from, _ = slices.BinarySearch(row, int32(j))
	}
	var sum T
	found := false
	for k := from; k < len(row); k++ {
		switch {
		case int(row[k]) == j && found:
			sum += values[k]
		case int(row[k]) == j:
			sum, found = values[k], true // not 0 + value, which loses the sign of -0
		case !m.s.unsorted:
			return sum
		}
	}
	return sum
}

// CSR returns copies of the arrays: the entries of row i are pointers[i] to
// pointers[i+1]-1 of indices, their columns, and values.
func (m Matrix[T]) CSR() (pointers, indices []int32, values []T) {
	return clone(m.s.some().pointers), clone(m.s.some().indices), clone(m.values)
}

// WithValues returns a matrix of the same structure, which it shares, with other
// values. Value k belongs to the entry that All yields with K = k. The values are
// copied.
func (m Matrix[T]) WithValues(values []T) (Matrix[T], error) {
	return withValues("sparse.Matrix.WithValues", m.s, values)
}

// WithValues returns the matrix with values[k] at the entry that p.All yields with K = k. It shares pointers and columns
// with p; the values are copied. It is an error if there are not as many.
func WithValues[T dtype.Value](p Pattern, values []T) (Matrix[T], error) {
	return withValues("sparse.WithValues", p.s, values)
}

func withValues[T dtype.Value](where string, s *csr, values []T) (Matrix[T], error) {
	if n := len(s.some().indices); len(values) != n {
		return Matrix[T]{}, Errorf(ErrLength, where, "one an entry", "%d values for %d entries", len(values), n)
	}
	return Matrix[T]{shape{s}, clone(values)}, nil
}

// RowSlice returns rows i0 <= i < i1; it shares indices and values with m. It panics
// with a [layout.ShapeError] if they are not rows of m.
func (m Matrix[T]) RowSlice(i0, i1 int) Matrix[T] {
	s, from, to := m.s.rowSlice(i0, i1)
	return Matrix[T]{shape{s}, m.values[from:to:to]}
}

func (s *csr) rowSlice(i0, i1 int) (t *csr, from, to int32) {
	s = s.some()
	if i0 < 0 || i1 < i0 || i1 > s.rows {
		panic(layout.ShapeError{What: "sparse.Matrix.RowSlice", Why: fmt.Sprintf("rows [%d:%d) of a %d x %d matrix", i0, i1, s.rows, s.cols)})
	}
	from, to = s.pointers[i0], s.pointers[i1]
	t = &csr{rows: i1 - i0, cols: s.cols, pointers: make([]int32, i1-i0+1), indices: s.indices[from:to:to]}
	for i := range t.pointers {
		t.pointers[i] = s.pointers[i0+i] - from
	}
	if s.unsorted || s.duplicates { // the part may be in order
		t = seal(t.rows, t.cols, t.pointers, t.indices)
	}
	return t, from, to
}

// Diagonal returns the elements (i, i), as At does, of a matrix of any shape.
func (m Matrix[T]) Diagonal() []T { return m.DiagonalAt(0) }

// DiagonalAt returns the elements (i, i+k), as At does, of a matrix of any shape: none if
// the diagonal lies outside.
func (m Matrix[T]) DiagonalAt(k int) []T {
	down, right := max(-max(k, -m.Rows()), 0), max(min(k, m.Cols()), 0)
	d := make([]T, max(0, min(m.Rows()-down, m.Cols()-right)))
	for i := range d {
		d[i] = m.At(i+down, i+right)
	}
	return d
}

// Transpose returns the transposed matrix. It is sorted, whatever m is; duplicates
// stay, in their order. CSC of m is CSR of it.
func (m Matrix[T]) Transpose() Matrix[T] {
	t, _ := m.TransposeFrom()
	return t
}

// TransposeFrom returns also where each value comes from: value k of the transposed
// matrix is value from[k] of m. With it, values that change while the structure does
// not are moved without another Transpose; see WithValues.
func (m Matrix[T]) TransposeFrom() (t Matrix[T], from []int32) {
	s, from := m.s.transposeFrom()
	return Matrix[T]{shape{s}, pick(m.values, from)}, from
}
