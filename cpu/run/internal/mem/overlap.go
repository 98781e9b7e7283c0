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
// rows that interleave, or elements of unequal sizes, the answer is true. Both must have
// passed [layout.Matrix.Check].
func Overlaps[X, Y dtype.Any](x layout.Matrix[X], y layout.Matrix[Y]) bool {
	if x.Rows == 0 || x.Cols == 0 || y.Rows == 0 || y.Cols == 0 {
		return false
	}
	if unsafe.Sizeof(x.Data[0]) == unsafe.Sizeof(y.Data[0]) {
		return overlaps(x, *(*layout.Matrix[X])(unsafe.Pointer(&y)))
	}
	return Shares(unsafe.Pointer(&x.Data[0]), bytes(x), unsafe.Pointer(&y.Data[0]), bytes(y))
}

// bytes is how many lie from the beginning of the first element to the end of the last.
func bytes[T dtype.Any](m layout.Matrix[T]) uintptr {
	return uintptr(span(m)+1) * unsafe.Sizeof(m.Data[0])
}

// overlaps is Overlaps for elements of one size.
func overlaps[T dtype.Any](x, y layout.Matrix[T]) bool {
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
func span[T dtype.Any](m layout.Matrix[T]) int {
	return (m.Rows-1)*m.RowStride + (m.Cols-1)*m.ColStride
}

// Touch reports whether two slices share memory: a cheap test that most calls
// need to go no further than.
func Touch[X, Y dtype.Any](x []X, y []Y) bool {
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	return Shares(unsafe.Pointer(&x[0]), uintptr(len(x))*unsafe.Sizeof(x[0]), unsafe.Pointer(&y[0]), uintptr(len(y))*unsafe.Sizeof(y[0]))
}
