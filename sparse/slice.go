package sparse

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout"
)

// Slice returns rows i0 <= i < i1 and columns j0 <= j < j1, as m[i0:i1, j0:j1] does in
// SciPy. It panics with a [layout.ShapeError] if they are not in m, as a slice would.
func (m Matrix[T]) Slice(i0, i1, j0, j1 int) Matrix[T] {
	checkSlice("sparse.Matrix.Slice", m.rows, m.cols, i0, i1, j0, j1)
	return Matrix[T](csr[T](m.RowSlice(i0, i1).Canonical()).columns("sparse.Matrix.Slice", 0, i1-i0, j0, j1))
}

func checkSlice(where string, rows, cols, i0, i1, j0, j1 int) {
	if i0 < 0 || i1 < i0 || i1 > rows || j0 < 0 || j1 < j0 || j1 > cols {
		panic(layout.ShapeError{What: where, Why: fmt.Sprintf("[%d:%d, %d:%d] of a %d x %d matrix", i0, i1, j0, j1, rows, cols)})
	}
}

// columns returns rows i0 <= i < i1 and columns j0 <= j < j1.
func (m csr[T]) columns(where string, i0, i1, j0, j1 int) csr[T] {
	g := grow[T](where, i1-i0, j1-j0, 0)
	for i := i0; i < i1; i++ {
		columns, values := m.entries(i)
		for k, j := range columns {
			if j := int(j); j0 <= j && j < j1 {
				g.put(int32(j-j0), values[k])
			}
		}
		g.endRow()
	}
	return g.m
}

// TakeRows returns the matrix whose row i is row list[i] of m, as m[list, :] is in SciPy.
// It is an error if there is no such row, or if the result is too large.
func (m Matrix[T]) TakeRows(list []int) (Matrix[T], error) {
	return asMatrix(csr[T](m.Canonical()).takeRows("sparse.Matrix.TakeRows", list))
}

func (m csr[T]) takeRows(where string, list []int) (csr[T], error) {
	entries := int64(0)
	for at, i := range list {
		if i < 0 || i >= m.rows {
			return csr[T]{}, fail(ErrIndex, where, "", "list[%d] is %d, the matrix is %d x %d", at, i, m.rows, m.cols)
		}
		entries += int64(m.pointers[i+1] - m.pointers[i])
	}
	if entries > MaxSlots {
		return csr[T]{}, fail(ErrSize, where, fmt.Sprintf("at most %d fit", MaxSlots), "%d entries", entries)
	}
	g := grow[T](where, len(list), m.cols, int(entries))
	for at := 0; at < len(list) && g.err == nil; at++ {
		columns, values := m.entries(list[at])
		g.m.indices, g.m.values = append(g.m.indices, columns...), append(g.m.values, values...)
		g.endRow()
	}
	return g.matrix()
}

// TakeCols returns the matrix whose column j is column list[j] of m, as m[:, list] is in
// SciPy. It is an error if there is no such column, or if the result is too large.
func (m Matrix[T]) TakeCols(list []int) (Matrix[T], error) {
	return asMatrix(csr[T](m.Canonical()).takeCols("sparse.Matrix.TakeCols", list))
}

func (m csr[T]) takeCols(where string, list []int) (csr[T], error) {
	for at, j := range list {
		if j < 0 || j >= m.cols {
			return csr[T]{}, fail(ErrIndex, where, "", "list[%d] is %d, the matrix is %d x %d", at, j, m.rows, m.cols)
		}
	}
	t, err := m.transpose(nil).takeRows(where, list)
	if err != nil {
		return csr[T]{}, err
	}
	return t.transpose(nil), nil
}

// PermuteRows returns the matrix whose row i is row order[i] of m. It is an error unless
// order has each row once.
func (m Matrix[T]) PermuteRows(order []int) (Matrix[T], error) {
	if err := permutation("sparse.Matrix.PermuteRows", "row", m.rows, order); err != nil {
		return Matrix[T]{}, err
	}
	return m.TakeRows(order)
}

// PermuteCols returns the matrix whose column j is column order[j] of m. It is an error
// unless order has each column once.
func (m Matrix[T]) PermuteCols(order []int) (Matrix[T], error) {
	if err := permutation("sparse.Matrix.PermuteCols", "column", m.cols, order); err != nil {
		return Matrix[T]{}, err
	}
	return m.TakeCols(order)
}

func permutation(where, what string, n int, order []int) error {
	if len(order) != n {
		return fail(ErrLength, where, "want each once", "%d numbers for %d %ss", len(order), n, what)
	}
	seen := make([]bool, n)
	for at, i := range order {
		if i < 0 || i >= n {
			return fail(ErrIndex, where, "", "order[%d] is %d, of %d %ss", at, i, n, what)
		}
		if seen[i] {
			return fail(ErrIndex, where, "want each once", "order[%d] is %s %d again", at, what, i)
		}
		seen[i] = true
	}
	return nil
}
