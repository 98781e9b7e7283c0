package sparse

// RowMax returns the largest element of each row. An element that is not stored counts as
// 0, as in SciPy: a row of negative entries that is not full has maximum 0. NaN is larger than
// all. A row of no columns has -Inf, or the least integer. Complex elements are compared by
// their real parts and, where these are equal, by the others, as in NumPy.
func (m Matrix[T]) RowMax() []T { v, _ := m.extremes(true); return v }

// RowMin returns the smallest element of each row, as RowMax does the largest. NaN is
// smaller than all. A row of no columns has +Inf, or the largest integer.
func (m Matrix[T]) RowMin() []T { v, _ := m.extremes(false); return v }

// RowArgMax returns the first column in each row that has RowMax, whether its element is
// stored or not. It returns -1 if there are no columns.
func (m Matrix[T]) RowArgMax() []int { _, at := m.extremes(true); return at }

// RowArgMin returns the first column in each row where RowMin is, as RowArgMax does.
func (m Matrix[T]) RowArgMin() []int { _, at := m.extremes(false); return at }

// ColMax is [Matrix.RowMax] of columns.
func (m Matrix[T]) ColMax() []T { return m.Transpose().RowMax() }

// ColMin is [Matrix.RowMin] of columns.
func (m Matrix[T]) ColMin() []T { return m.Transpose().RowMin() }

// ColArgMax is [Matrix.RowArgMax] of columns: the first row of each.
func (m Matrix[T]) ColArgMax() []int { return m.Transpose().RowArgMax() }

// ColArgMin is [Matrix.RowArgMin] of columns: the first row of each.
func (m Matrix[T]) ColArgMin() []int { return m.Transpose().RowArgMin() }

// extremes returns the largest or the smallest element of each row, and where it is first.
func (m Matrix[T]) extremes(largest bool) (values []T, at []int) {
	c, k := m.Canonical(), kindOf[T]()
	worst, better := k.least, func(x, y T) bool { return k.less(y, x) || x != x && y == y }
	if !largest {
		worst, better = k.most, func(x, y T) bool { return k.less(x, y) || x != x && y == y }
	}
	values, at = make([]T, c.rows), make([]int, c.rows)
	for i := range c.rows {
		columns, row := c.columns(i), c.values[c.pointers[i]:]
		best, where := worst, -1
		for k, j := range columns {
			if where < 0 || better(row[k], best) {
				best, where = row[k], int(j)
			}
		}
		if gap := firstGap(columns); gap < c.cols {
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
