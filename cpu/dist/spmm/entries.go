package spmm

import (
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// entries is the arrays of a matrix in compressed rows, which is read or made row by row.
type entries[T dtype.Float] struct {
	pointers, indices []int32
	values            []T
}

func rawEntries[T dtype.Float](a sparse.Matrix[T]) (e entries[T]) {
	e.pointers, e.indices, e.values = a.CSR()
	return e
}

// row returns the columns and values of a row.
func (e *entries[T]) row(i int) ([]int32, []T) {
	from, to := e.pointers[i], e.pointers[i+1]
	return e.indices[from:to], e.values[from:to]
}

// add adds entries to the last row.
func (e *entries[T]) add(j int32, v T) {
	e.indices, e.values = append(e.indices, j), append(e.values, v)
}

func (e *entries[T]) addRow(indices []int32, values []T) {
	e.indices, e.values = append(e.indices, indices...), append(e.values, values...)
}

// end ends a row and returns its number.
func (e *entries[T]) end() int32 {
	if e.pointers == nil {
		e.pointers = []int32{0}
	}
	e.pointers = append(e.pointers, int32(len(e.indices)))
	return int32(len(e.pointers) - 2)
}

// matrix returns the rows that have ended.
func (e *entries[T]) matrix(cols int) (sparse.Matrix[T], error) {
	if e.pointers == nil {
		e.pointers = []int32{0}
	}
	return sparse.FromCSR(len(e.pointers)-1, cols, e.pointers, e.indices, e.values)
}
