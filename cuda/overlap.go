package cuda

import "github.com/tilesmith/tilesmith/layout/dtype"

// Overlap reports whether x and y may share a byte, as far as addresses and
// strides show it. It is exact for blocks cut from one parent whose rows do not
// reach into each other. For other matrices that reach into each other's range of
// addresses the answer is true. Both must have passed [Matrix.Check].
func Overlap[X, Y dtype.Elem](x Matrix[X], y Matrix[Y]) bool {
	a, b := extentOf(x), extentOf(y)
	if a.rows == 0 || a.cols == 0 || b.rows == 0 || b.cols == 0 || a.mem.Device() != b.mem.Device() {
		return false
	}
	if a.at > b.at {
		a, b = b, a
	}
	if b.at-a.at >= a.bytes() {
		return false
	}
	// Blocks of one parent, and b starts in a row of a: shared only if the columns meet.
	//
	//	. . . . . . . .     off = di*rs + right, from a to b: to the right of a
	//	. a a a . b b .     by right columns, or, one row further on, to its
	//	. a a a . b b .     left by rs-right
	rs := a.rs
	if a.rs != b.rs || a.cs != a.size || b.cs != b.size || max(a.cols*a.size, b.cols*b.size) > rs {
		return true
	}
	off := b.at - a.at
	di, right := off/rs, off%rs
	return right < a.cols*a.size || di+1 < a.rows && rs-right < b.cols*b.size
}

// Same reports whether x and y are the same view of the same memory. An output and a
// full operand of an epilogue may be.
func Same[T dtype.Elem](x, y Matrix[T]) bool { return x == y }

// extent is where the elements of a matrix lie, in bytes; rs >= cs.
type extent struct {
	mem        Memory
	at, size   uint64
	rows, cols uint64
	rs, cs     uint64
}

func extentOf[T dtype.Elem](m Matrix[T]) extent {
	if m.RowStride < m.ColStride || m.Rows == 1 && m.Cols > 1 && m.ColStride != 1 {
		m = m.T() // the same elements
	}
	size := uint64(elemSize[T]())
	e := extent{m.Data.mem, m.Address(), size, uint64(m.Rows), uint64(m.Cols), uint64(m.RowStride) * size, uint64(m.ColStride) * size}
	if e.cols == 1 {
		e.cs = size // it is never taken
	}
	return e
}

// bytes is the distance from the first byte to the one after the last.
func (e *extent) bytes() uint64 { return (e.rows-1)*e.rs + (e.cols-1)*e.cs + e.size }
