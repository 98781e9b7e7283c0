package sparse

// ScaleRows returns m, taken as canonical, with row i multiplied by s[i]: diag(s)*m. The structure stays and is
// shared, also where a factor is 0. It is an error if s has not a factor for each row.
func (m Matrix[T]) ScaleRows(s []T) (Matrix[T], error) {
	if len(s) != m.rows {
		return Matrix[T]{}, fail(ErrLength, "sparse.Matrix.ScaleRows", "one a row", "%d factors for %d x %d", len(s), m.rows, m.cols)
	}
	m = m.Canonical()
	values := make([]T, m.NNZ())
	for e, v := range m.All() {
		values[e.K] = s[e.I] * v
	}
	m.values = values
	return m, nil
}

// ScaleCols returns m, taken as canonical, with column j multiplied by s[j]: m*diag(s). The structure stays and
// is shared, also where a factor is 0. It is an error if s has not a factor for each
// column.
func (m Matrix[T]) ScaleCols(s []T) (Matrix[T], error) {
	if len(s) != m.cols {
		return Matrix[T]{}, fail(ErrLength, "sparse.Matrix.ScaleCols", "one a column", "%d factors for %d x %d", len(s), m.rows, m.cols)
	}
	m = m.Canonical()
	values := make([]T, m.NNZ())
	for e, v := range m.All() {
		values[e.K] = v * s[e.J]
	}
	m.values = values
	return m, nil
}
