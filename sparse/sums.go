package sparse

import "github.com/tilesmith/tilesmith/layout/dtype"

// RowSums returns the sum of the entries of each row, added as stored, in float64 or complex128
// and rounded once; those of integers wrap.
func (m Matrix[T]) RowSums() []T {
	switch v := any(m.values).(type) {
	case []float32:
		return any(rowSums32(m.Rows(), m.some().pointers, v)).([]T)
	case []complex64:
		return any(rowSumsC(m.Rows(), m.some().pointers, v)).([]T)
	}
	return rowSums(m.Rows(), m.some().pointers, m.values, itself[T], itself[T])
}

// ColSums returns the sum of the entries of each column, as RowSums does.
func (m Matrix[T]) ColSums() []T {
	switch v := any(m.values).(type) {
	case []float32:
		return any(colSums32(m.Cols(), m.some().indices, v)).([]T)
	case []complex64:
		return any(colSumsC(m.Cols(), m.some().indices, v)).([]T)
	}
	return colSums(m.Cols(), m.some().indices, m.values, itself[T], itself[T])
}

// These take no Matrix. A method that mentioned one of float32 would have all of its methods
// compiled into every package that has a matrix of another type.

func rowSums32(rows int, pointers []int32, values []float32) []float32 {
	return rowSums(rows, pointers, values, wide32, narrow32)
}

func rowSumsC(rows int, pointers []int32, values []complex64) []complex64 {
	return rowSums(rows, pointers, values, wideC, narrowC)
}

func colSums32(cols int, indices []int32, values []float32) []float32 {
	return colSums(cols, indices, values, wide32, narrow32)
}

func colSumsC(cols int, indices []int32, values []complex64) []complex64 {
	return colSums(cols, indices, values, wideC, narrowC)
}

func wide32(v float32) float64       { return float64(v) }
func narrow32(s float64) float32     { return float32(s) }
func wideC(v complex64) complex128   { return complex128(v) }
func narrowC(s complex128) complex64 { return complex64(s) }
func itself[T any](v T) T            { return v }

// rowSums adds in W.
func rowSums[T, W dtype.Value](rows int, pointers []int32, values []T, wide func(T) W, round func(W) T) []T {
	sums := make([]T, rows)
	for i := range sums {
		var s W
		for _, v := range values[pointers[i]:pointers[i+1]] {
			s += wide(v)
		}
		sums[i] = round(s)
	}
	return sums
}

// colSums is rowSums of columns.
func colSums[T, W dtype.Value](cols int, indices []int32, values []T, wide func(T) W, round func(W) T) []T {
	all := make([]W, cols)
	for k, j := range indices {
		all[j] += wide(values[k])
	}
	sums := make([]T, cols)
	for j, s := range all {
		sums[j] = round(s)
	}
	return sums
}
