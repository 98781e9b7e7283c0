package mem

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Overlaps reports whether x and y may share an element, as far as addresses
// and strides show it. Where the two do not reach into each other's range of
// addresses they share nothing. Where they do, they still share nothing if they
// have the same strides, or one is transposed, and were cut from one parent at
// different places, as LAPACK cuts a matrix into blocks:
//
//	. . . . . . . . .
//	. x x x . y y . .    off = di*RowStride + dj*ColStride, from x to y
//	. x x x . y y . .    shared only if di < x.Rows and dj < x.Cols,
//	. . . . . y y . .    or, with y to the left, if -dj < y.Cols
//
// That is exact where no row reaches into the next; with unequal strides, or
// rows that interleave, the answer is true. Both must have passed
// [layout.Matrix.Check].
func Overlaps[T dtype.Float](x, y layout.Matrix[T]) bool {
	if x.Rows == 0 || x.Cols == 0 || y.Rows == 0 || y.Cols == 0 {
		return false
	}
	size := int(unsafe.Sizeof(x.Data[0]))
	apart := Distance(unsafe.Pointer(&x.Data[0]), unsafe.Pointer(&y.Data[0]))
	if apart < 0 {
		x, y, apart = y, x, -apart
	}
	if apart >= (span(x)+1)*size {
		return false
	}
	// Transposing shares the same elements; call the longer stride the row's.
	if x.RowStride < x.ColStride {
		x = x.T()
	}
	if y.RowStride < y.ColStride {
		y = y.T()
	}
	if x.RowStride != y.RowStride || x.ColStride != y.ColStride || apart%size != 0 {
		return true
	}
	rs, cs, cols := x.RowStride, x.ColStride, max(x.Cols, y.Cols)
	if cols == 1 {
		cs = 1 // it is never taken, and may be 0
	}
	if cs == 0 || (cols-1)*cs >= rs {
		return true
	}
	off := apart / size
	di, right := off/rs, off%rs
	left := rs - right // the same place, seen from one row further on
	return di < x.Rows && right%cs == 0 && right/cs < x.Cols ||
		di+1 < x.Rows && left%cs == 0 && left/cs < y.Cols
}

// span is the distance from the first element to the last.
func span[T dtype.Float](m layout.Matrix[T]) int {
	return (m.Rows-1)*m.RowStride + (m.Cols-1)*m.ColStride
}

// Touch reports whether two slices share memory: a cheap test that most calls
// need to go no further than.
func Touch[T dtype.Float](x, y []T) bool {
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	size := unsafe.Sizeof(x[0])
	return Shares(unsafe.Pointer(&x[0]), uintptr(len(x))*size, unsafe.Pointer(&y[0]), uintptr(len(y))*size)
}
