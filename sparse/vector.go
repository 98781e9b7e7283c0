package sparse

import (
	"fmt"
	"iter"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Vector is a sparse vector. Its memory, and the time of its operations, grow with its entries and
// not with its length, which may be 2^27. It is canonical: indices ascend. It is a matrix of one
// row, [Vector.Row], whose methods are its own. It cannot be changed; the zero Vector has length 0.
type Vector[T dtype.Value] struct{ row Matrix[T] }

// NewVector returns the vector of n elements with values[k] at index[k]. Duplicates are summed in
// their order. The slices are only read.
func NewVector[T dtype.Value, I Index](n int, index []I, values []T) (Vector[T], error) {
	const where = "sparse.NewVector"
	if len(index) != len(values) {
		return Vector[T]{}, Errorf(ErrLength, where, "as many of each", "%d indices and %d values", len(index), len(values))
	}
	b := newBuilder[T](where, 1, n)
	for k := 0; k < len(index) && b.err == nil; k++ {
		b.coordinates(0, int64(index[k]))
	}
	b.values = values
	m, err := b.Matrix()
	return Vector[T]{m}, err
}

// VectorOf returns a matrix of one row or of one column, taken as canonical, as a vector.
func VectorOf[T dtype.Value](m Matrix[T]) (Vector[T], error) {
	switch {
	case m.Rows() == 1:
		return Vector[T]{m.Canonical()}, nil
	case m.Cols() == 1:
		return Vector[T]{m.Canonical().Transpose()}, nil
	}
	return Vector[T]{}, Errorf(ErrShape, "sparse.VectorOf", "want 1 x n or n x 1", "%d x %d", m.Rows(), m.Cols())
}

// Row returns the vector as a matrix 1 x n, and copies nothing.
func (x Vector[T]) Row() Matrix[T] {
	if x.row.s == nil { // the zero Vector
		return Matrix[T]{shape: shape{&csr{rows: 1, pointers: []int32{0, 0}}}}
	}
	return x.row
}

// Column returns the vector as a matrix n x 1, which takes 4 bytes for each element.
func (x Vector[T]) Column() Matrix[T] { return x.Row().Transpose() }

// Len returns the number of elements, stored or not.
func (x Vector[T]) Len() int { return x.row.Cols() }

// NNZ returns the number of entries.
func (x Vector[T]) NNZ() int { return x.row.NNZ() }

// All yields index and value of every entry, in order.
func (x Vector[T]) All() iter.Seq2[int, T] { return x.Row().Row(0) }

// At returns element i, 0 if it is not stored. It panics with a [layout.ShapeError] if there is none.
func (x Vector[T]) At(i int) T {
	if uint(i) >= uint(x.Len()) {
		panic(layout.ShapeError{What: "sparse.Vector.At", Why: fmt.Sprintf("index %d of %d elements", i, x.Len())})
	}
	return x.row.At(0, i)
}

// Has reports whether element i is stored.
func (x Vector[T]) Has(i int) bool {
	return uint(i) < uint(x.Len()) && x.row.s.has(0, i)
}

// ToDense returns all elements.
func (x Vector[T]) ToDense() []T {
	d := make([]T, x.Len())
	for i, v := range x.All() {
		d[i] = v
	}
	return d
}

// Union returns f of both values for elements that x and o store, and the one value for
// those that only one of them stores: see [Matrix.Union].
func (x Vector[T]) Union(o Vector[T], f func(x, y T) T) (Vector[T], error) {
	m, err := merged("sparse.Vector.Union", x.Row(), o.Row(), either, f)
	return Vector[T]{m}, err
}

// String says what the vector is, not what is in it.
func (x Vector[T]) String() string {
	return fmt.Sprintf("%d elements with %d entries of %s", x.Len(), x.NNZ(), dtype.Name[T]())
}
