package cuda

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Matrix is layout.Matrix in the memory of a device: element (i, j) of Rows x Cols
// is Data's element i*RowStride+j*ColStride. Strides are in elements and not
// negative; a stride of 0 repeats a row or column, in operands that are only read.
//
// The leading dimension of a row-major matrix is its RowStride. Kernels are
// fastest where rows start at multiples of 16 bytes, so that both [Slice.Address]
// and the stride in bytes are multiples of 16.
type Matrix[T dtype.Elem] struct {
	Data                 Slice[T]
	Rows, Cols           int
	RowStride, ColStride int
}

// New allocates a row-major rows x cols matrix on d without gaps. Its contents are
// undefined. It fails with a [layout.ShapeError] if a size is negative or the product
// overflows, and with [ErrMemory] if d has not the room.
func New[T dtype.Elem](d Device, rows, cols int) (Matrix[T], error) {
	return NewStrided[T](d, rows, cols, max(cols, 1))
}

// NewStrided is New with rows that are stride elements apart.
func NewStrided[T dtype.Elem](d Device, rows, cols, stride int) (Matrix[T], error) {
	if rows < 0 || cols < 0 {
		return Matrix[T]{}, layout.ShapeError{What: "cuda.New", Why: fmt.Sprintf("size %d x %d is negative; want 0 or more", rows, cols)}
	}
	if stride < max(cols, 1) {
		return Matrix[T]{}, layout.ShapeError{What: "cuda.New", Why: fmt.Sprintf("stride %d is too short for rows of %d elements", stride, cols)}
	}
	n := 0
	if rows > 0 && cols > 0 {
		hi, lo := bits.Mul64(uint64(rows-1), uint64(stride))
		if hi != 0 || lo > math.MaxInt/8-uint64(min(cols, math.MaxInt/8)) {
			return Matrix[T]{}, layout.ShapeError{What: "cuda.New", Why: fmt.Sprintf("size %d x %d with stride %d is too large", rows, cols, stride)}
		}
		n = int(lo) + cols
	}
	data, err := Make[T](d, n)
	return Matrix[T]{data, rows, cols, stride, 1}, err
}

// From allocates a matrix on the device of s and queues the copy of src to it. It
// is row-major, or column-major if src is. src may be changed once From has
// returned.
func From[T dtype.Elem](s Stream, src layout.Matrix[T]) (Matrix[T], error) {
	if err := src.Check("cuda.From: src"); err != nil {
		return Matrix[T]{}, err
	}
	turn := src.RowStride == 1 && src.ColStride != 1
	if turn {
		src = src.T()
	}
	m, err := New[T](s.Device(), src.Rows, src.Cols)
	if err != nil {
		return Matrix[T]{}, err
	}
	if err := m.Write(s, src); err != nil {
		m.Data.Free()
		return Matrix[T]{}, err
	}
	if turn {
		m = m.T()
	}
	return m, nil
}

// T returns the transposed view; no element moves.
func (m Matrix[T]) T() Matrix[T] {
	return Matrix[T]{m.Data, m.Cols, m.Rows, m.ColStride, m.RowStride}
}

// Slice returns the sub-matrix of rows i0 <= i < i1 and columns j0 <= j < j1 of a
// matrix that passes [Matrix.Check]. It shares elements with m. It panics with a
// [layout.ShapeError] if the range does not lie in m.
func (m Matrix[T]) Slice(i0, i1, j0, j1 int) Matrix[T] {
	if i0 < 0 || i1 < i0 || i1 > m.Rows || j0 < 0 || j1 < j0 || j1 > m.Cols {
		panic(layout.ShapeError{What: "cuda.Slice", Why: fmt.Sprintf("rows [%d:%d), columns [%d:%d) of a %d x %d matrix", i0, i1, j0, j1, m.Rows, m.Cols)})
	}
	s := Matrix[T]{Slice[T]{m.Data.mem, m.Data.off, 0}, i1 - i0, j1 - j0, m.RowStride, m.ColStride}
	if s.Rows > 0 && s.Cols > 0 {
		off := i0*m.RowStride + j0*m.ColStride
		s.Data = m.Data.Slice(off, off+s.span()+1)
	}
	return s
}

// RowSlice is Slice of all columns.
func (m Matrix[T]) RowSlice(i0, i1 int) Matrix[T] { return m.Slice(i0, i1, 0, m.Cols) }

// ColSlice is Slice of all rows.
func (m Matrix[T]) ColSlice(j0, j1 int) Matrix[T] { return m.Slice(0, m.Rows, j0, j1) }

// Address returns where kernels find element (0, 0).
func (m Matrix[T]) Address() uint64 { return m.Data.Address() }

// Free gives back all of the memory that m is part of.
func (m Matrix[T]) Free() error { return m.Data.Free() }

// span is the distance from the first element to the last of a matrix that has
// any and passes Check.
func (m Matrix[T]) span() int { return (m.Rows-1)*m.RowStride + (m.Cols-1)*m.ColStride }

// CheckOn is Check for an operand of a kernel on d: the elements must also be in
// the memory of d, or the error wraps [ErrForeign].
func (m Matrix[T]) CheckOn(d Device, name string) error {
	if err := m.Check(name); err != nil {
		return err
	}
	if mem := m.Data.mem; mem != nil && mem.Device() != d {
		return fmt.Errorf("%s %w: its memory is on %s, the kernel runs on %s", name, ErrForeign, mem.Device().Info().Name, d.Info().Name)
	}
	return nil
}

// Check returns nil if every element of m lies inside Data, and otherwise a
// [layout.ShapeError] that says what is wrong, as [layout.Matrix.Check] does.
func (m Matrix[T]) Check(name string) error { return m.view().Check(name) }

// CheckOut is Check for a matrix that is written: its elements must also be
// distinct, as for [layout.Matrix.CheckOut].
func (m Matrix[T]) CheckOut(name string) error { return m.view().CheckOut(name) }

func (m Matrix[T]) view() layout.View {
	return layout.View{Len: m.Data.n, Rows: m.Rows, Cols: m.Cols, RowStride: m.RowStride, ColStride: m.ColStride}
}
