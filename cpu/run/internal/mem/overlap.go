package mem

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Overlaps reports whether x and y may share an element, as far as addresses
// and strides show it. If neither reaches into the other's range of addresses, they
// share nothing. If they do, they still share nothing if they have the same strides, or
// one is transposed, and were cut from one parent at different places, as LAPACK cuts a
// matrix into blocks:
//
//	. . . . . . . . .
//	. x x x . y y . .    off = di*RowStride + dj*ColStride, from x to y
//	. x x x . y y . .    shared only if di < x.Rows and dj < x.Cols,
//	. . . . . y y . .    or, with y to the left, if -dj < y.Cols
//
// That is exact if no row reaches into the next. With unequal strides, or rows that
// interleave, or elements of unequal sizes, the answer is true. Both must have passed
// [layout.Matrix.Check].
func Overlaps[X, Y dtype.Any](x layout.Matrix[X], y layout.Matrix[Y]) bool {
	return overlaps(areaOf(&x), areaOf(&y))
}

// area is a matrix without its element type.
type area struct {
	p          unsafe.Pointer
	rows, cols int
	rs, cs     int // elements
	size       int // of one
}

func areaOf[T dtype.Any](m *layout.Matrix[T]) area {
	return area{unsafe.Pointer(unsafe.SliceData(m.Data)), m.Rows, m.Cols, m.RowStride, m.ColStride, int(unsafe.Sizeof(*new(T)))}
}

// bytes is how many lie from the beginning of the first element to the end of the last.
func (a *area) bytes() int { return ((a.rows-1)*a.rs + (a.cols-1)*a.cs + 1) * a.size }

// overlaps is Overlaps, compiled once.
func overlaps(x, y area) bool {
	if x.rows == 0 || x.cols == 0 || y.rows == 0 || y.cols == 0 {
		return false
	}
	if x.size != y.size {
		return Shares(x.p, uintptr(x.bytes()), y.p, uintptr(y.bytes()))
	}
	apart := Distance(x.p, y.p)
	if apart < 0 {
		x, y, apart = y, x, -apart
	}
	if apart >= x.bytes() {
		return false
	}
	// Transposing shares the same elements; call the longer stride the row's.
	for _, a := range [2]*area{&x, &y} {
		if a.rs < a.cs {
			a.rows, a.cols, a.rs, a.cs = a.cols, a.rows, a.cs, a.rs
		}
	}
	if x.rs != y.rs || x.cs != y.cs || apart%x.size != 0 {
		return true
	}
	rs, cs, cols := x.rs, x.cs, max(x.cols, y.cols)
	if cols == 1 {
		cs = 1 // it is never taken, and may be 0
	}
	if cs == 0 || (cols-1)*cs >= rs {
		return true
	}
	off := apart / x.size
	di, right := off/rs, off%rs
	left := rs - right // the same place, seen from one row further on
	return di < x.rows && right%cs == 0 && right/cs < x.cols ||
		di+1 < x.rows && left%cs == 0 && left/cs < y.cols
}

// Touch reports whether two slices share memory: a cheap test that most calls
// need to go no further than.
func Touch[X, Y dtype.Any](x []X, y []Y) bool {
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	return Shares(unsafe.Pointer(&x[0]), uintptr(len(x))*unsafe.Sizeof(x[0]), unsafe.Pointer(&y[0]), uintptr(len(y))*unsafe.Sizeof(y[0]))
}
