package sparse

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout"
)

// RowSlice returns rows i0 <= i < i1; it shares indices and values with m. It panics
// with a [layout.ShapeError] if they are not rows of m.
func (m Matrix[T]) RowSlice(i0, i1 int) Matrix[T] {
	if i0 < 0 || i1 < i0 || i1 > m.rows {
		panic(layout.ShapeError{What: "sparse.Matrix.RowSlice", Why: fmt.Sprintf("rows [%d:%d) of a %d x %d matrix", i0, i1, m.rows, m.cols)})
	}
	pointers := make([]int32, i1-i0+1)
	if i0 == i1 {
		return Matrix[T](seal[T](0, m.cols, pointers, nil, nil))
	}
	from, to := m.pointers[i0], m.pointers[i1]
	for i := range pointers {
		pointers[i] = m.pointers[i0+i] - from
	}
	s := Matrix[T]{rows: i1 - i0, cols: m.cols, pointers: pointers, indices: m.indices[from:to:to], values: m.values[from:to:to]}
	if m.unsorted || m.duplicates { // the part may be in order
		return Matrix[T](seal(s.rows, s.cols, s.pointers, s.indices, s.values))
	}
	return s
}

// Diagonal returns the elements (i, i), as At does, of a matrix of any shape.
func (m Matrix[T]) Diagonal() []T {
	d := make([]T, min(m.rows, m.cols))
	for i := range d {
		d[i] = m.At(i, i)
	}
	return d
}
