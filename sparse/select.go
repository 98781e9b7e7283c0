package sparse

import "sort"

// Select returns the entries of m, taken as canonical, that keep says yes to: it is called
// with row, column and value of each, in order.
func (m Matrix[T]) Select(keep func(i, j int, v T) bool) Matrix[T] {
	c := m.Canonical()
	g := grow[T]("sparse.Matrix.Select", c.rows, c.cols, 0)
	for i := range c.rows {
		columns, values := c.entries(i)
		for k, j := range columns {
			if keep(i, int(j), values[k]) {
				g.put(j, values[k])
			}
		}
		g.endRow()
	}
	return g.m
}

// Apply returns m, taken as canonical, with f of row, column and value for each stored
// value. The structure stays and is shared; what is not stored is not applied to.
func (m Matrix[T]) Apply(f func(i, j int, v T) T) Matrix[T] {
	c := m.Canonical()
	values := make([]T, c.NNZ())
	for e, v := range c.All() {
		values[e.K] = f(e.I, e.J, v)
	}
	c.values = values
	return c
}

// Tril returns the entries on and below diagonal k, which is j = i + k: k is 0 for the
// main diagonal, below 0 for those under it. Parts of rows are copied whole, which takes a fraction of the time
// of a product with what is left.
func (m Matrix[T]) Tril(k int) Matrix[T] {
	k = max(min(k, m.cols), -m.rows)
	return m.between(func(i int) (lo, hi int) { return 0, i + k + 1 })
}

// Triu returns the entries on and above diagonal k, which is j = i + k, as Tril does.
func (m Matrix[T]) Triu(k int) Matrix[T] {
	k = max(min(k, m.cols), -m.rows)
	return m.between(func(i int) (lo, hi int) { return i + k, m.cols })
}

// between returns the entries of m, taken as canonical, with columns from lo to hi-1, which differ
// from row to row.
func (m Matrix[T]) between(span func(i int) (lo, hi int)) Matrix[T] {
	c := m.Canonical()
	out := Matrix[T]{rows: c.rows, cols: c.cols, pointers: make([]int32, c.rows+1)}
	first := make([]int32, c.rows)
	at := func(columns []int32, j int) int32 {
		return int32(sort.Search(len(columns), func(k int) bool { return int(columns[k]) >= j }))
	}
	for i := range c.rows {
		columns, _ := c.entries(i)
		lo, hi := span(i)
		from := at(columns, lo)
		first[i] = c.pointers[i] + from
		out.pointers[i+1] = out.pointers[i] + max(at(columns, hi)-from, 0)
	}
	n := out.pointers[c.rows]
	out.indices, out.values = make([]int32, n), make([]T, n)
	for i, from := range first {
		to := out.pointers[i]
		n := out.pointers[i+1] - to
		copy(out.indices[to:to+n], c.indices[from:])
		copy(out.values[to:to+n], c.values[from:])
	}
	return out
}
