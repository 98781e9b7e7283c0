package aggregate

import (
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
	"github.com/tilesmith/tilesmith/sparse/internal/value"
)

// RowMax returns the largest element of each row. An element that is not stored counts as
// 0, as in SciPy: a row of negative entries that is not full has maximum 0. NaN is larger than
// all. A row of no columns has -Inf, or the least integer. Complex elements are compared by
// their real parts and, where these are equal, by the others, as in NumPy.
func RowMax[T dtype.Value](m sparse.Matrix[T]) []T { v, _ := extremes(m, true); return v }

// RowMin returns the smallest element of each row, as RowMax does the largest. NaN is
// smaller than all. A row of no columns has +Inf, or the largest integer.
func RowMin[T dtype.Value](m sparse.Matrix[T]) []T { v, _ := extremes(m, false); return v }

// RowArgMax returns the first column in each row that has RowMax, whether its element is
// stored or not. It returns -1 if there are no columns.
func RowArgMax[T dtype.Value](m sparse.Matrix[T]) []int { _, at := extremes(m, true); return at }

// RowArgMin returns the first column in each row where RowMin is, as RowArgMax does.
func RowArgMin[T dtype.Value](m sparse.Matrix[T]) []int { _, at := extremes(m, false); return at }

// ColMax is [RowMax] of columns.
func ColMax[T dtype.Value](m sparse.Matrix[T]) []T { return RowMax(m.Transpose()) }

// ColMin is [RowMin] of columns.
func ColMin[T dtype.Value](m sparse.Matrix[T]) []T { return RowMin(m.Transpose()) }

// ColArgMax is [RowArgMax] of columns: the first row of each.
func ColArgMax[T dtype.Value](m sparse.Matrix[T]) []int { return RowArgMax(m.Transpose()) }

// ColArgMin is [RowArgMin] of columns: the first row of each.
func ColArgMin[T dtype.Value](m sparse.Matrix[T]) []int { return RowArgMin(m.Transpose()) }

// extremes returns the largest or the smallest element of each row, and where it is first.
func extremes[T dtype.Value](m sparse.Matrix[T], largest bool) (values []T, at []int) {
	c, k := m.Canonical(), value.Of[T]()
	pointers, indices, all := runs.Arrays[T](c.Raw())
	worst, better := k.Least, func(x, y T) bool { return k.Less(y, x) || x != x && y == y }
	if !largest {
		worst, better = k.Most, func(x, y T) bool { return k.Less(x, y) || x != x && y == y }
	}
	values, at = make([]T, c.Rows()), make([]int, c.Rows())
	for i := range values {
		columns, row := indices[pointers[i]:pointers[i+1]], all[pointers[i]:]
		best, where := worst, -1
		for k, j := range columns {
			if where < 0 || better(row[k], best) {
				best, where = row[k], int(j)
			}
		}
		if gap := firstGap(columns); gap < c.Cols() {
			// A 0 that is not stored also wins if it is the same, and comes first.
			if where < 0 || better(0, best) || best == 0 && gap < where {
				best, where = 0, gap
			}
		}
		values[i], at[i] = best, where
	}
	return values, at
}

// firstGap returns the first column that sorted columns do not have.
func firstGap(columns []int32) int {
	for k, j := range columns {
		if int(j) != k {
			return k
		}
	}
	return len(columns)
}
