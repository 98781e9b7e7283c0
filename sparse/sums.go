package sparse

import "github.com/tilesmith/tilesmith/layout/dtype"

// RowSums returns the sum of the entries of each row, added as stored, in float64 or complex128
// and rounded once; those of integers wrap.
func (m Matrix[T]) RowSums() []T {
	switch m := any(m).(type) {
	case Matrix[float32]:
		return any(rowSums(m, func(v float32) float64 { return float64(v) }, func(s float64) float32 { return float32(s) })).([]T)
	case Matrix[complex64]:
		return any(rowSums(m, func(v complex64) complex128 { return complex128(v) }, func(s complex128) complex64 { return complex64(s) })).([]T)
	}
	return rowSums(m, itself[T], itself[T])
}

// ColSums returns the sum of the entries of each column, as RowSums does.
func (m Matrix[T]) ColSums() []T {
	switch m := any(m).(type) {
	case Matrix[float32]:
		return any(colSums(m, func(v float32) float64 { return float64(v) }, func(s float64) float32 { return float32(s) })).([]T)
	case Matrix[complex64]:
		return any(colSums(m, func(v complex64) complex128 { return complex128(v) }, func(s complex128) complex64 { return complex64(s) })).([]T)
	}
	return colSums(m, itself[T], itself[T])
}

func itself[T any](v T) T { return v }

// rowSums adds in W.
func rowSums[T, W dtype.Value](m Matrix[T], wide func(T) W, round func(W) T) []T {
	sums := make([]T, m.rows)
	for i := range sums {
		var s W
		for k := m.pointers[i]; k < m.pointers[i+1]; k++ {
			s += wide(m.values[k])
		}
		sums[i] = round(s)
	}
	return sums
}

// colSums is rowSums of columns.
func colSums[T, W dtype.Value](m Matrix[T], wide func(T) W, round func(W) T) []T {
	all := make([]W, m.cols)
	for k, j := range m.indices {
		all[j] += wide(m.values[k])
	}
	sums := make([]T, m.cols)
	for j, s := range all {
		sums[j] = round(s)
	}
	return sums
}
