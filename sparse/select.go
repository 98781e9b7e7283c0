package sparse

// Select returns the entries of m, taken as canonical, for which keep returns true. It
// calls keep with row, column and value of each, in order.
func (m Matrix[T]) Select(keep func(i, j int, v T) bool) Matrix[T] {
	c := m.Canonical()
	s, from := c.s.selected(func(k int32, i, j int) bool { return keep(i, j, c.values[k]) })
	return Matrix[T]{shape{s}, pick(c.values, from)}
}

// Apply returns m, taken as canonical, with f of row, column and value for each stored
// value. The structure stays and is shared; it is not applied to elements that are not
// stored.
func (m Matrix[T]) Apply(f func(i, j int, v T) T) Matrix[T] {
	c := m.Canonical()
	values := make([]T, c.NNZ())
	for e := range c.s.places() {
		values[e.K] = f(e.I, e.J, c.values[e.K])
	}
	return Matrix[T]{shape{c.s}, values}
}

// Scale returns s*m: every stored value times s. The structure stays and is shared,
// also if s is 0.
func (m Matrix[T]) Scale(s T) Matrix[T] {
	values := make([]T, m.NNZ())
	for k, v := range m.values {
		values[k] = s * v
	}
	return Matrix[T]{shape{m.s}, values}
}

// ScaleRows returns m, taken as canonical, with row i multiplied by s[i]: diag(s)*m. The structure stays and is
// shared, also where a factor is 0. It is an error if s has not a factor for each row.
func (m Matrix[T]) ScaleRows(s []T) (Matrix[T], error) {
	if len(s) != m.Rows() {
		return Matrix[T]{}, Errorf(ErrLength, "sparse.Matrix.ScaleRows", "one a row", "%d factors for %d x %d", len(s), m.Rows(), m.Cols())
	}
	return m.Apply(func(i, _ int, v T) T { return s[i] * v }), nil
}

// ScaleCols returns m, taken as canonical, with column j multiplied by s[j]: m*diag(s). The structure stays and
// is shared, also where a factor is 0. It is an error if s has not a factor for each
// column.
func (m Matrix[T]) ScaleCols(s []T) (Matrix[T], error) {
	if len(s) != m.Cols() {
		return Matrix[T]{}, Errorf(ErrLength, "sparse.Matrix.ScaleCols", "one a column", "%d factors for %d x %d", len(s), m.Rows(), m.Cols())
	}
	return m.Apply(func(_, j int, v T) T { return v * s[j] }), nil
}

// Tril returns the entries on and below diagonal k, which is j = i + k. k is 0 for the main diagonal, and
// below 0 for those under it. Parts of rows are copied whole, which takes a fraction of the time of a product
// with what is left.
func (m Matrix[T]) Tril(k int) Matrix[T] { return m.Lower(k).Matrix() }

// Triu returns the entries on and above diagonal k, which is j = i + k, as Tril does.
func (m Matrix[T]) Triu(k int) Matrix[T] { return m.Upper(k).Matrix() }
