package sparse

// Canonical returns the matrix with sorted rows and duplicates summed, in their
// order. It is m itself if that is so already.
func (m Matrix[T]) Canonical() Matrix[T] {
	s := m.s.some()
	if !s.unsorted && !s.duplicates {
		return Matrix[T]{shape{s}, m.values}
	}
	return sumOf(s.rows, s.cols, s.rowIndices(), s.indices, m.values)
}

// rowIndices returns the row of every entry.
func (s *csr) rowIndices() []int32 {
	rows := make([]int32, len(s.indices))
	for i := range s.rows {
		for k := s.pointers[i]; k < s.pointers[i+1]; k++ {
			rows[k] = int32(i)
		}
	}
	return rows
}

// DropZeros returns the canonical matrix without its stored zeros, -0 among them.
func (m Matrix[T]) DropZeros() Matrix[T] {
	return m.Select(func(_, _ int, v T) bool { return v != 0 })
}

// Equal reports whether both have the same shape and the same entries when
// canonical: equal values, or NaN and NaN. A stored zero is not equal to none.
func (m Matrix[T]) Equal(o Matrix[T]) bool {
	a, b := m.Canonical(), o.Canonical()
	if !a.s.equal(b.s) {
		return false
	}
	for k, v := range a.values {
		if w := b.values[k]; v != w && (v == v || w == w) {
			return false
		}
	}
	return true
}
