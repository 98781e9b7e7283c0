package sparse

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout"
)

// Slice returns rows i0 <= i < i1 and columns j0 <= j < j1, as m[i0:i1, j0:j1] does in
// SciPy. It panics with a [layout.ShapeError] if they are not in m, as a slice would.
func (m Matrix[T]) Slice(i0, i1, j0, j1 int) Matrix[T] {
	m.s.checkSlice("sparse.Matrix.Slice", i0, i1, j0, j1)
	c := m.RowSlice(i0, i1).Canonical()
	first, pointers := c.s.spans(func(int) (int, int) { return j0, j1 })
	return Matrix[T]{shape{c.s.columnSlice(j0, j1, first, pointers)}, runs(c.values, first, pointers)}
}

func (s *csr) checkSlice(where string, i0, i1, j0, j1 int) {
	s = s.some()
	if i0 < 0 || i1 < i0 || i1 > s.rows || j0 < 0 || j1 < j0 || j1 > s.cols {
		panic(layout.ShapeError{What: where, Why: fmt.Sprintf("[%d:%d, %d:%d] of a %d x %d matrix", i0, i1, j0, j1, s.rows, s.cols)})
	}
}

// columnSlice returns columns j0 <= j < j1, which are those spans.
func (s *csr) columnSlice(j0, j1 int, first, pointers []int32) *csr {
	t := s.parts(first, pointers)
	t.cols = j1 - j0
	for k := range t.indices {
		t.indices[k] -= int32(j0)
	}
	return t
}

// TakeRows returns the matrix whose row i is row list[i] of m, as m[list, :] is in SciPy.
// It is an error if there is no such row, or if the result is too large.
func (m Matrix[T]) TakeRows(list []int) (Matrix[T], error) {
	c := m.Canonical()
	s, first, err := c.s.takeRows("sparse.Matrix.TakeRows", list)
	if err != nil {
		return Matrix[T]{}, err
	}
	return Matrix[T]{shape{s}, runs(c.values, first, s.pointers)}, nil
}

// takeRows returns also where the entries of each row begin in s.
func (s *csr) takeRows(where string, list []int) (t *csr, first []int32, err error) {
	s = s.some()
	entries := int64(0)
	first = make([]int32, len(list))
	t = &csr{rows: len(list), cols: s.cols, pointers: make([]int32, len(list)+1)}
	for at, i := range list {
		if i < 0 || i >= s.rows {
			return nil, nil, Errorf(ErrIndex, where, "", "list[%d] is %d, the matrix is %d x %d", at, i, s.rows, s.cols)
		}
		entries += int64(s.pointers[i+1] - s.pointers[i])
		first[at], t.pointers[at+1] = s.pointers[i], int32(entries)
	}
	if err := checkTotal(where, int64(t.rows), 0, entries); err != nil {
		return nil, nil, err
	}
	t.indices = runs(s.indices, first, t.pointers)
	return t, first, nil
}

// TakeCols returns the matrix whose column j is column list[j] of m, as m[:, list] is in
// SciPy. It is an error if there is no such column, or if the result is too large.
func (m Matrix[T]) TakeCols(list []int) (Matrix[T], error) {
	c := m.Canonical()
	s, from, err := c.s.takeCols("sparse.Matrix.TakeCols", list)
	if err != nil {
		return Matrix[T]{}, err
	}
	return Matrix[T]{shape{s}, pick(c.values, from)}, nil
}

// takeCols returns also where each entry comes from.
func (s *csr) takeCols(where string, list []int) (*csr, []int32, error) {
	s = s.some()
	for at, j := range list {
		if j < 0 || j >= s.cols {
			return nil, nil, Errorf(ErrIndex, where, "", "list[%d] is %d, the matrix is %d x %d", at, j, s.rows, s.cols)
		}
	}
	turned, from := s.transposeFrom()
	taken, first, err := turned.takeRows(where, list)
	if err != nil {
		return nil, nil, err
	}
	t, order := taken.transposeFrom()
	return t, pick(runs(from, first, taken.pointers), order), nil
}

// PermuteRows returns the matrix whose row i is row order[i] of m. It is an error unless
// order has each row once.
func (m Matrix[T]) PermuteRows(order []int) (Matrix[T], error) {
	if err := permutation("sparse.Matrix.PermuteRows", "row", m.Rows(), order); err != nil {
		return Matrix[T]{}, err
	}
	return m.TakeRows(order)
}

// PermuteCols returns the matrix whose column j is column order[j] of m. It is an error
// unless order has each column once.
func (m Matrix[T]) PermuteCols(order []int) (Matrix[T], error) {
	if err := permutation("sparse.Matrix.PermuteCols", "column", m.Cols(), order); err != nil {
		return Matrix[T]{}, err
	}
	return m.TakeCols(order)
}

func permutation(where, what string, n int, order []int) error {
	if len(order) != n {
		return Errorf(ErrLength, where, "want each once", "%d numbers for %d %ss", len(order), n, what)
	}
	seen := make([]bool, n)
	for at, i := range order {
		if i < 0 || i >= n {
			return Errorf(ErrIndex, where, "", "order[%d] is %d, of %d %ss", at, i, n, what)
		}
		if seen[i] {
			return Errorf(ErrIndex, where, "want each once", "order[%d] is %s %d again", at, what, i)
		}
		seen[i] = true
	}
	return nil
}
