package layout

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/pages"
)

// Matrix is a view of a slice as Rows x Cols elements: element (i, j) is
// Data[i*RowStride+j*ColStride]. Strides are in elements and not negative; a
// stride of 0 repeats a row or column and is allowed in operands that are only
// read. The zero Matrix is a valid 0 x 0 matrix.
//
// A Matrix is a small value: pass it by value, as a slice.
type Matrix[T dtype.Any] struct {
	Data                 []T
	Rows, Cols           int
	RowStride, ColStride int
}

// RowMajor returns data as a dense rows x cols matrix whose rows are contiguous. It
// panics with a [ShapeError] if a size is negative or data has fewer elements than that.
func RowMajor[T dtype.Any](data []T, rows, cols int) Matrix[T] {
	need("layout.RowMajor", len(data), rows, cols)
	return Matrix[T]{data, rows, cols, max(cols, 1), 1}
}

// ColMajor returns data as a dense rows x cols matrix whose columns are
// contiguous, as Fortran stores it, on the same conditions as RowMajor.
func ColMajor[T dtype.Any](data []T, rows, cols int) Matrix[T] {
	need("layout.ColMajor", len(data), rows, cols)
	return Matrix[T]{data, rows, cols, 1, max(rows, 1)}
}

// fits reports whether so many elements hold rows x cols.
func fits(have, rows, cols int) bool {
	hi, lo := bits.Mul(uint(rows), uint(cols))
	return rows|cols >= 0 && hi == 0 && lo <= uint(have)
}

// need panics unless so many elements hold rows x cols.
func need(what string, have, rows, cols int) {
	if !fits(have, rows, cols) {
		refuseSize(what, have, rows, cols)
	}
}

// refuseSize panics because sizes do not fit.
func refuseSize(what string, have, rows, cols int) {
	if rows < 0 || cols < 0 {
		panic(ShapeError{what, fmt.Sprintf("size %d x %d is negative; want 0 or more", rows, cols)})
	}
	panic(ShapeError{what, fmt.Sprintf("%d elements do not hold %d x %d; want %s", have, rows, cols, least(rows, cols, cols, 1))})
}

// New allocates a row-major rows x cols matrix of zeros. It panics with a
// [ShapeError] if a size is negative or the product overflows.
func New[T dtype.Any](rows, cols int) Matrix[T] {
	const most = min(1<<48, math.MaxInt/8)
	if rows < 0 || cols < 0 {
		refuseSize("layout.New", 0, rows, cols)
	}
	if !fits(most, rows, cols) {
		panic(ShapeError{"layout.New", fmt.Sprintf("size %d x %d is too large; want at most %d elements", rows, cols, most)})
	}
	data := make([]T, rows*cols)
	pages.Advise(data)
	return RowMajor(data, rows, cols)
}

// T returns the transposed view; no element moves.
func (m Matrix[T]) T() Matrix[T] {
	return Matrix[T]{m.Data, m.Cols, m.Rows, m.ColStride, m.RowStride}
}

// At returns element (i, j) of a matrix that passes [Matrix.Check]. It panics if the
// indices are out of range.
func (m Matrix[T]) At(i, j int) T { return m.Data[m.index("layout.Matrix.At", i, j)] }

// Set sets element (i, j) to v, on the same conditions as At.
func (m Matrix[T]) Set(i, j int, v T) { m.Data[m.index("layout.Matrix.Set", i, j)] = v }

func (m Matrix[T]) index(what string, i, j int) int {
	if uint(i) >= uint(m.Rows) || uint(j) >= uint(m.Cols) {
		refuseIndex(what, i, j, m.Rows, m.Cols)
	}
	return i*m.RowStride + j*m.ColStride
}

// refuseIndex and refuseSlice are compiled once, and not for each element type.
//
//go:noinline
func refuseIndex(what string, i, j, rows, cols int) {
	panic(ShapeError{what, fmt.Sprintf("index (%d, %d) outside %d x %d", i, j, rows, cols)})
}

//go:noinline
func refuseSlice(i0, i1, j0, j1, rows, cols int) {
	panic(ShapeError{"layout.Matrix.Slice", fmt.Sprintf("rows [%d:%d), columns [%d:%d) of a %d x %d matrix", i0, i1, j0, j1, rows, cols)})
}

// Slice returns the sub-matrix of rows i0 <= i < i1 and columns j0 <= j < j1.
// It shares elements with m. It panics with a [ShapeError] if the range does not
// lie in m.
func (m Matrix[T]) Slice(i0, i1, j0, j1 int) Matrix[T] {
	if i0 < 0 || i1 < i0 || i1 > m.Rows || j0 < 0 || j1 < j0 || j1 > m.Cols {
		refuseSlice(i0, i1, j0, j1, m.Rows, m.Cols)
	}
	s := Matrix[T]{nil, i1 - i0, j1 - j0, m.RowStride, m.ColStride}
	if s.Rows > 0 && s.Cols > 0 {
		off := i0*m.RowStride + j0*m.ColStride
		s.Data = m.Data[off : off+(s.Rows-1)*s.RowStride+(s.Cols-1)*s.ColStride+1]
	}
	return s
}

// Check returns nil if every element of m lies inside Data, and otherwise a
// [ShapeError] that says what is wrong. The test does not overflow for any
// stride. name is what the message calls the matrix.
func (m *Matrix[T]) Check(name string) error { return m.view().Check(name) }

// CheckOut is Check for a matrix that is written: its elements must also be
// distinct. Distinct means here that one stride steps over all that the other
// spans, which is true of every sub-matrix of a row- or column-major one.
func (m *Matrix[T]) CheckOut(name string) error { return m.view().CheckOut(name) }

func (m *Matrix[T]) view() View {
	return View{len(m.Data), m.Rows, m.Cols, m.RowStride, m.ColStride}
}

// ShapeError says that the shapes, strides or lengths of operands do not fit
// together. Entry points panic with it before anything is read or written.
type ShapeError struct {
	What string // the function or operand
	Why  string // what is wrong, with the numbers
}

func (e ShapeError) Error() string { return e.What + ": " + e.Why }
