package sparse

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout"
)

// Slice returns rows i0 <= i < i1 and columns j0 <= j < j1, as m[i0:i1, j0:j1] does in
// SciPy. It panics with a [layout.ShapeError] if they are not in m, as a slice would.
func (m Matrix[T]) Slice(i0, i1, j0, j1 int) Matrix[T] {
	if i0 < 0 || i1 < i0 || i1 > m.rows || j0 < 0 || j1 < j0 || j1 > m.cols {
		panic(layout.ShapeError{What: "sparse.Matrix.Slice", Why: fmt.Sprintf("[%d:%d, %d:%d] of a %d x %d matrix", i0, i1, j0, j1, m.rows, m.cols)})
	}
	c := m.RowSlice(i0, i1).Canonical()
	g := grow[T]("sparse.Matrix.Slice", i1-i0, j1-j0, 0)
	for i := range c.rows {
		columns, values := c.entries(i)
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
	const where = "sparse.Matrix.TakeRows"
	c := m.Canonical()
	entries := int64(0)
	for at, i := range list {
		if i < 0 || i >= c.rows {
			return Matrix[T]{}, fail(ErrIndex, where, "", "list[%d] is %d, the matrix is %d x %d", at, i, c.rows, c.cols)
		}
		entries += int64(c.pointers[i+1] - c.pointers[i])
	}
	if entries > MaxSlots {
		return Matrix[T]{}, fail(ErrSize, where, fmt.Sprintf("at most %d fit", MaxSlots), "%d entries", entries)
	}
	g := grow[T](where, len(list), c.cols, int(entries))
	for at := 0; at < len(list) && g.err == nil; at++ {
		columns, values := c.entries(list[at])
		g.m.indices, g.m.values = append(g.m.indices, columns...), append(g.m.values, values...)
		g.endRow()
	}
	return g.matrix()
}

// TakeCols returns the matrix whose column j is column list[j] of m, as m[:, list] is in
// SciPy. It is an error if there is no such column, or if the result is too large.
func (m Matrix[T]) TakeCols(list []int) (Matrix[T], error) {
	const where = "sparse.Matrix.TakeCols"
	for at, j := range list {
		if j < 0 || j >= m.cols {
			return Matrix[T]{}, fail(ErrIndex, where, "", "list[%d] is %d, the matrix is %d x %d", at, j, m.rows, m.cols)
		}
	}
	t, err := m.Canonical().Transpose().TakeRows(list)
	if err != nil {
		err.(*Error).Where = where
		return Matrix[T]{}, err
	}
	return t.Transpose(), nil
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
