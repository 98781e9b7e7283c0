package sparse

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TransposedCSC returns the transposed matrix in the format [CSC], which uses the arrays of m.
// It builds nothing, unless m has duplicates or rows that are not sorted. A product goes in the
// order of the rows i of m. Each entry of row i is multiplied by row i of the other operand and
// added to the row of the result that its column names.
func (m Matrix[T]) TransposedCSC() Packed[T] {
	c := m.Canonical()
	if c.pointers == nil { // the zero Matrix
		c.pointers = []int32{0}
	}
	axes := axesCSC()
	return Packed[T]{format: CSC, axes: axes, walk: walkCSC, rows: c.cols, cols: c.rows, nnz: len(c.values), values: c.values, counts: new(rowCounts),
		arrays: Arrays{Slots: len(c.values), Levels: []Level{{Size: c.rows}, {Pointers: c.pointers, Indices: c.indices}}},
		loops:  newLoopTexts(axes, false, false)}
}

// Selection returns the matrix that takes rows: row k of its product with x is row index[k] of x,
// which has n rows. The product with its transpose, [Matrix.TransposedCSC], adds row k of y to row
// index[k] of the result, in the order of k. That is a scatter-add, and the gradient of taking
// rows.
func Selection[T dtype.Value](n int, index []int32) (Matrix[T], error) {
	const where = "sparse.Selection"
	if err := checkSize(where, len(index), n); err != nil {
		return Matrix[T]{}, err
	}
	g := grow[T](where, len(index), n, len(index))
	for k, i := range index {
		if i < 0 || int(i) >= n {
			return Matrix[T]{}, fail(ErrIndex, where, fmt.Sprintf("rows are from 0 to %d", n-1), "row %d at place %d", i, k)
		}
		g.put(i, 1)
		if !g.endRow() {
			break
		}
	}
	return asMatrix(g.matrix())
}

// Segments returns the matrix that adds up rows by segments. Row s of its product with x is the sum
// of rows offsets[s] to offsets[s+1]-1 of x, or their mean if mean is set. It is 0 if there are
// none. Offsets begin with 0 and do not descend, and x has offsets[len(offsets)-1] rows. The
// product with its transpose, [Matrix.TransposedCSC], is the gradient.
func Segments[T dtype.Float](offsets []int, mean bool) (Matrix[T], error) {
	const where = "sparse.Segments"
	if len(offsets) == 0 || offsets[0] != 0 {
		return Matrix[T]{}, fail(ErrPointers, where, "want the first to be 0", "offsets %v", offsets[:min(len(offsets), 1)])
	}
	for s := range offsets[1:] {
		if offsets[s+1] < offsets[s] {
			return Matrix[T]{}, fail(ErrPointers, where, "want them not to descend", "offset %d is %d, after %d", s+1, offsets[s+1], offsets[s])
		}
	}
	n := offsets[len(offsets)-1]
	if err := checkSize(where, len(offsets)-1, n); err != nil {
		return Matrix[T]{}, err
	}
	g := grow[T](where, len(offsets)-1, n, n)
	for s := range offsets[1:] {
		v := T(1)
		if mean {
			v = 1 / T(max(offsets[s+1]-offsets[s], 1))
		}
		for k := offsets[s]; k < offsets[s+1]; k++ {
			g.put(int32(k), v)
		}
		if !g.endRow() {
			break
		}
	}
	return asMatrix(g.matrix())
}
