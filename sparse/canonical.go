package sparse

// Canonical returns the matrix with sorted rows and duplicates summed, in their
// order. It is m itself if that is so already.
func (m Matrix[T]) Canonical() Matrix[T] {
	if !m.unsorted && !m.duplicates {
		return m
	}
	return sumOf(m.rows, m.cols, csr[T](m).rowIndices(), m.indices, m.values)
}

// rowIndices returns the row of every entry.
func (m csr[T]) rowIndices() []int32 {
	rows := make([]int32, len(m.indices))
	for i := range m.rows {
		for k := m.pointers[i]; k < m.pointers[i+1]; k++ {
			rows[k] = int32(i)
		}
	}
	return rows
}

// sorted returns the matrix with sorted rows and all its duplicates, which then are
// neighbours.
func (m csr[T]) sorted() csr[T] {
	rows := m.rowIndices()
	order := sortBy(sequence(len(m.indices)), m.cols, func(k int32) int { return int(m.indices[k]) })
	order = sortBy(order, m.rows, func(k int32) int { return int(rows[k]) })
	indices, values := make([]int32, len(order)), make([]T, len(order))
	for at, k := range order {
		indices[at], values[at] = m.indices[k], m.values[k]
	}
	return seal(m.rows, m.cols, m.pointers, indices, values)
}

// DropZeros returns the canonical matrix without its stored zeros, -0 among them.
func (m Matrix[T]) DropZeros() Matrix[T] {
	c := m.Canonical()
	d := Matrix[T]{rows: c.rows, cols: c.cols, pointers: make([]int32, c.rows+1)}
	for e, v := range c.All() {
		if v != 0 {
			d.indices, d.values = append(d.indices, int32(e.J)), append(d.values, v)
			d.pointers[e.I+1]++
		}
	}
	for i := range d.rows {
		d.pointers[i+1] += d.pointers[i]
	}
	return d
}

// Equal reports whether both have the same shape and the same entries when
// canonical: equal values, or NaN and NaN. A stored zero is not equal to none.
func (m Matrix[T]) Equal(o Matrix[T]) bool {
	a, b := m.Canonical(), o.Canonical()
	if a.rows != b.rows || a.cols != b.cols || a.NNZ() != b.NNZ() {
		return false
	}
	for i := range a.rows {
		if a.pointers[i+1] != b.pointers[i+1] {
			return false
		}
	}
	for k, v := range a.values {
		w := b.values[k]
		if a.indices[k] != b.indices[k] || v != w && (v == v || w == w) {
			return false
		}
	}
	return true
}
