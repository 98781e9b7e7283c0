package sparse

import (
	"fmt"
	"iter"
	"slices"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Matrix is a sparse matrix in compressed rows. It cannot be changed, and its
// indices were checked when it was made; that is what lets a kernel trust them.
// The zero Matrix is 0 x 0. Pass it by value, as a slice.
type Matrix[T dtype.Value] csr[T]

// Dims returns the number of rows and columns.
func (m Matrix[T]) Dims() (rows, cols int) { return m.rows, m.cols }

// Rows returns the number of rows.
func (m Matrix[T]) Rows() int { return m.rows }

// Cols returns the number of columns.
func (m Matrix[T]) Cols() int { return m.cols }

// NNZ returns the number of entries: stored zeros and duplicates count.
func (m Matrix[T]) NNZ() int { return len(m.values) }

// Sorted reports whether the columns of every row ascend; duplicates may be there.
func (m Matrix[T]) Sorted() bool { return !m.unsorted }

// HasDuplicates reports whether some element has several entries.
func (m Matrix[T]) HasDuplicates() bool { return m.duplicates }

// String says what the matrix is, not what is in it.
func (m Matrix[T]) String() string {
	return fmt.Sprintf("%d x %d with %d entries of %v", m.rows, m.cols, m.NNZ(), dtype.Name[T]())
}

// All yields every entry, row by row as stored, with its value; K counts from 0.
func (m Matrix[T]) All() iter.Seq2[Entry, T] {
	return func(yield func(Entry, T) bool) {
		for i := range m.rows {
			for k := m.pointers[i]; k < m.pointers[i+1]; k++ {
				if !yield(Entry{i, int(m.indices[k]), int(k)}, m.values[k]) {
					return
				}
			}
		}
	}
}

// Row yields the column and value of every entry of row i, as stored. It panics with
// a [layout.ShapeError] if there is no such row.
func (m Matrix[T]) Row(i int) iter.Seq2[int, T] {
	from, to := m.span("sparse.Matrix.Row", i)
	return func(yield func(int, T) bool) {
		for k := from; k < to; k++ {
			if !yield(int(m.indices[k]), m.values[k]) {
				return
			}
		}
	}
}

// RowNNZ returns the number of entries of row i, and panics as Row does.
func (m Matrix[T]) RowNNZ(i int) int {
	from, to := m.span("sparse.Matrix.RowNNZ", i)
	return to - from
}

func (m Matrix[T]) span(where string, i int) (from, to int) {
	if uint(i) >= uint(m.rows) {
		panic(layout.ShapeError{What: where, Why: fmt.Sprintf("row %d of a %d x %d matrix", i, m.rows, m.cols)})
	}
	return int(m.pointers[i]), int(m.pointers[i+1])
}

// At returns element (i, j): the sum of its entries, 0 if there are none. It takes
// the logarithm of the row's entries if the matrix is sorted. It panics with a
// [layout.ShapeError] if the indices are out of range.
func (m Matrix[T]) At(i, j int) T {
	if uint(i) >= uint(m.rows) || uint(j) >= uint(m.cols) {
		panic(layout.ShapeError{What: "sparse.Matrix.At", Why: fmt.Sprintf("index (%d, %d) outside %d x %d", i, j, m.rows, m.cols)})
	}
	row := m.indices[m.pointers[i]:m.pointers[i+1]]
	values := m.values[m.pointers[i]:]
	from := 0
	if !m.unsorted {
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
		case !m.unsorted:
			return sum
		}
	}
	return sum
}

// CSR returns copies of the arrays: the entries of row i are pointers[i] to
// pointers[i+1]-1 of indices, their columns, and values.
func (m Matrix[T]) CSR() (pointers, indices []int32, values []T) {
	pointers = clone(m.pointers)
	if pointers == nil {
		pointers = []int32{0}
	}
	return pointers, clone(m.indices), clone(m.values)
}

// WithValues returns a matrix of the same structure, which it shares, with other
// values. Value k belongs to the entry that All yields with K = k. The values are
// copied.
func (m Matrix[T]) WithValues(values []T) (Matrix[T], error) {
	if len(values) != m.NNZ() {
		return Matrix[T]{}, fail(ErrLength, "sparse.Matrix.WithValues", "one an entry", "%d values for %d entries", len(values), m.NNZ())
	}
	m.values = clone(values)
	return m, nil
}

// entries returns columns and values of row i, where they are stored.
func (m Matrix[T]) entries(i int) ([]int32, []T) { return csr[T](m).entries(i) }
