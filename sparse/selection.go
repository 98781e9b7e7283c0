package sparse

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Selection returns the matrix that takes rows: row k of its product with x is row index[k] of x,
// which has n rows. The product with its transpose, format.TransposedCSC, adds row k of y to row
// index[k] of the result, in the order of k. That is a scatter-add, and the gradient of taking
// rows.
func Selection[T dtype.Value](n int, index []int32) (Matrix[T], error) {
	const where = "sparse.Selection"
	if err := CheckSize(where, len(index), n); err != nil {
		return Matrix[T]{}, err
	}
	g := grow(where, len(index), n, len(index))
	for k, i := range index {
		if i < 0 || int(i) >= n {
			return Matrix[T]{}, Errorf(ErrIndex, where, fmt.Sprintf("rows are from 0 to %d", n-1), "row %d at place %d", i, k)
		}
		g.put(i)
		if !g.endRow() {
			break
		}
	}
	return grown(g, ones[T](len(g.s.indices)))
}

// Segments returns the matrix that adds up rows by segments. Row s of its product with x is the sum
// of rows offsets[s] to offsets[s+1]-1 of x, or their mean if mean is set. It is 0 if there are
// none. Offsets begin with 0 and do not descend, and x has offsets[len(offsets)-1] rows. The
// product with its transpose, format.TransposedCSC, is the gradient.
func Segments[T dtype.Float](offsets []int, mean bool) (Matrix[T], error) {
	const where = "sparse.Segments"
	if len(offsets) == 0 || offsets[0] != 0 {
		return Matrix[T]{}, Errorf(ErrPointers, where, "want the first to be 0", "offsets %v", offsets[:min(len(offsets), 1)])
	}
	for s := range offsets[1:] {
		if offsets[s+1] < offsets[s] {
			return Matrix[T]{}, Errorf(ErrPointers, where, "want them not to descend", "offset %d is %d, after %d", s+1, offsets[s+1], offsets[s])
		}
	}
	n := offsets[len(offsets)-1]
	if err := CheckSize(where, len(offsets)-1, n); err != nil {
		return Matrix[T]{}, err
	}
	g, values := grow(where, len(offsets)-1, n, n), make([]T, 0, n)
	for s := range offsets[1:] {
		v := T(1)
		if mean {
			v = 1 / T(max(offsets[s+1]-offsets[s], 1))
		}
		for k := offsets[s]; k < offsets[s+1]; k++ {
			g.put(int32(k))
			values = append(values, v)
		}
		if !g.endRow() {
			break
		}
	}
	return grown(g, values)
}
