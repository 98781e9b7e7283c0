package call

import (
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Arrays is where the arrays of a canonical matrix lie. They are only read.
type Arrays[T dtype.Value] struct {
	Rows, Cols        int
	Pointers, Indices []int32
	Values            []T
	Each              int32 // -1: each entry has a value; 0: all rows have the same, which are ones
}

func ArraysOf[T dtype.Value](m sparse.Matrix[T]) Arrays[T] {
	r := m.Raw()
	return Arrays[T]{r.Rows, r.Cols, SliceOf((*int32)(r.Pointers), r.Rows+1), SliceOf((*int32)(r.Indices), r.NNZ), SliceOf((*T)(r.Values), r.NNZ), -1}
}

// OnesOf is where the arrays of a pattern lie, and as many ones as its longest row has entries.
func OnesOf[T dtype.Value](p sparse.Pattern) Arrays[T] {
	r, longest := p.Raw(), int32(0)
	m := Arrays[T]{Rows: r.Rows, Cols: r.Cols, Pointers: SliceOf((*int32)(r.Pointers), r.Rows+1), Indices: SliceOf((*int32)(r.Indices), r.NNZ)}
	for i := range m.Rows {
		longest = max(longest, m.Pointers[i+1]-m.Pointers[i])
	}
	m.Values = make([]T, longest)
	SetOnes(m.Values)
	return m
}

// Row returns columns and values of row i.
func (m *Arrays[T]) Row(i int) ([]int32, []T) {
	from, to := m.Pointers[i], m.Pointers[i+1]
	first := from & m.Each
	return m.Indices[from:to], m.Values[first : first+to-from]
}

// Columns returns the columns of row i.
func (m *Arrays[T]) Columns(i int) []int32 { return m.Indices[m.Pointers[i]:m.Pointers[i+1]] }
