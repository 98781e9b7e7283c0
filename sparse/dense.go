package sparse

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/internal/value"
)

// Doer is a matrix that visits its elements, as the banded, triangular and
// tridiagonal ones of gonum's mat do. A [Matrix] is one too.
type Doer interface {
	Dims() (rows, cols int)
	DoNonZero(fn func(i, j int, v float64))
}

// FromDoer returns the matrix of the elements that d yields, in any order. Duplicates are
// summed, and each value is rounded to T. It is an error if d is nil or an element is
// outside the matrix. If T is integer and a value is not, the error is [ErrValue].
func FromDoer[T dtype.Value](d Doer) (Matrix[T], error) {
	if d == nil {
		return Matrix[T]{}, Errorf(ErrNil, "sparse.FromDoer", "want a matrix", "the matrix is nil")
	}
	rows, cols := d.Dims()
	b := newBuilder[T]("sparse.FromDoer", rows, cols)
	d.DoNonZero(func(i, j int, v float64) { b.AddNumber(i, j, complex(v, 0)) })
	return b.Matrix()
}

// DoNonZero calls fn with every element that is not zero, row by row. It panics with a
// [layout.ShapeError] if elements are complex, as those of a [Doer] are not.
func (m Matrix[T]) DoNonZero(fn func(i, j int, v float64)) {
	k := value.Of[T]()
	if k.Complex {
		panic(layout.ShapeError{What: "sparse.Matrix.DoNonZero", Why: m.String() + "; want real ones"})
	}
	for e, v := range m.Canonical().All() {
		if v != 0 {
			fn(e.I, e.J, real(k.Number(v)))
		}
	}
}

// FromDense returns the matrix of the elements of d that are not zero; NaN is not,
// -0 is.
func FromDense[T dtype.Value](d layout.Matrix[T]) (Matrix[T], error) {
	const where = "sparse.FromDense"
	if err := d.Check("d"); err != nil {
		return Matrix[T]{}, Errorf(ErrShape, where, "", "%v", err)
	}
	if err := CheckSize(where, d.Rows, d.Cols); err != nil {
		return Matrix[T]{}, err
	}
	s, values := csr{rows: d.Rows, cols: d.Cols, pointers: make([]int32, d.Rows+1)}, []T(nil)
	for i := range d.Rows {
		for j := range d.Cols {
			if v := d.Data[i*d.RowStride+j*d.ColStride]; v != 0 {
				if len(values) == MaxSlots {
					return Matrix[T]{}, Errorf(ErrSize, where, fmt.Sprintf("at most %d fit", MaxSlots), "more than %d of %d x %d elements are not zero", MaxSlots, d.Rows, d.Cols)
				}
				s.indices, values = append(s.indices, int32(j)), append(values, v)
			}
		}
		s.pointers[i+1] = int32(len(values))
	}
	return Matrix[T]{shape{&s}, values}, nil
}

// ToDense returns all elements, row-major. It panics with a [layout.ShapeError] if
// they are more than [MaxSlots].
func (m Matrix[T]) ToDense() layout.Matrix[T] {
	rows, cols := m.Dims()
	if int64(rows)*int64(cols) > MaxSlots {
		panic(layout.ShapeError{What: "sparse.Matrix.ToDense", Why: fmt.Sprintf("%d x %d is too large", rows, cols)})
	}
	d := layout.New[T](rows, cols)
	for e, v := range m.Canonical().All() {
		d.Data[e.I*d.RowStride+e.J] = v
	}
	return d
}
