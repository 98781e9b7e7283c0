package sparse

// Select returns the entries of m, taken as canonical, for which keep returns true. It
// calls keep with row, column and value of each, in order.
func (m Matrix[T]) Select(keep func(i, j int, v T) bool) Matrix[T] {
	c := m.Canonical()
	return Matrix[T](csr[T](c).selected("sparse.Matrix.Select", keep))
}

// Apply returns m, taken as canonical, with f of row, column and value for each stored
// value. The structure stays and is shared; it is not applied to elements that are not
// stored.
func (m Matrix[T]) Apply(f func(i, j int, v T) T) Matrix[T] {
	c := m.Canonical()
	values := make([]T, c.NNZ())
	for e, v := range c.All() {
		values[e.K] = f(e.I, e.J, v)
	}
	c.values = values
	return c
}

// Tril returns the entries on and below diagonal k, which is j = i + k. k is 0 for the main diagonal, and
// below 0 for those under it. Parts of rows are copied whole, which takes a fraction of the time of a product
// with what is left.
func (m Matrix[T]) Tril(k int) Matrix[T] {
	return m.between(-m.rows, k)
}

// Triu returns the entries on and above diagonal k, which is j = i + k, as Tril does.
func (m Matrix[T]) Triu(k int) Matrix[T] {
	return m.between(k, m.cols)
}

// between returns the entries of m, taken as canonical, on diagonals lo to hi.
func (m Matrix[T]) between(lo, hi int) Matrix[T] {
	c := csr[T](m.Canonical())
	return Matrix[T](c.between(c.diagonals(lo, hi)))
}
