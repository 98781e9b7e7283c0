package solve

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Jacobi returns the inverse of a's diagonal, the cheapest preconditioner. [CG] takes it
// into its passes over vectors. A diagonal element that is 0, not stored, or whose inverse
// is not a number is an [ErrSingular] that names the row.
func Jacobi[T dtype.Float](a sparse.Matrix[T]) (Operator[T], error) {
	const where = "solve.Jacobi"
	if err := square(where, a); err != nil {
		return nil, err
	}
	d := a.Diagonal()
	for i, v := range d {
		if d[i] = 1 / v; d[i]-d[i] != 0 {
			return nil, singular(where, i, v)
		}
	}
	return &diagonal[T]{d}, nil
}

// diagonal is a diagonal matrix.
type diagonal[T dtype.Float] struct{ inverse []T }

func (d *diagonal[T]) Dims() (rows, cols int) { return len(d.inverse), len(d.inverse) }

func (d *diagonal[T]) Apply(dst, src []T) {
	if len(dst) != len(d.inverse) || len(src) != len(d.inverse) {
		panic(layout.ShapeError{What: "solve.Jacobi", Why: fmt.Sprintf("vectors of %d and %d elements; want %d", len(dst), len(src), len(d.inverse))})
	}
	for i, v := range d.inverse {
		dst[i] = v * src[i]
	}
}

// square refuses a matrix that is not.
func square[T dtype.Float](where string, a sparse.Matrix[T]) error {
	if a.Rows() == a.Cols() {
		return nil
	}
	return &sparse.Error{Kind: sparse.ErrShape, Where: where, What: fmt.Sprintf("a is %d x %d", a.Rows(), a.Cols()), Right: "as many rows as columns"}
}

// singular says that one cannot divide by the pivot of a row.
func singular[T dtype.Float](where string, row int, pivot T) error {
	return &sparse.Error{Kind: ErrSingular, Where: where, What: fmt.Sprintf("the pivot of row %d is %g", row, pivot),
		Right: "it is to be divided by; move rows so that none is 0, or add to the diagonal"}
}
