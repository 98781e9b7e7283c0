package rows

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Widened calls do with a copy of b as elements of T, by slabs of columns if it has far
// more places than elements. Every element of b must be one of T.
func Widened[T dtype.Float, B dtype.Elem](out layout.Matrix[T], b layout.Matrix[B], do func(out, b layout.Matrix[T])) {
	call.BySlabs(out, b, func(out layout.Matrix[T], b layout.Matrix[B]) { do(out, widen[T](b)) })
}

// widen returns a copy of b.
func widen[T dtype.Float, B dtype.Elem](b layout.Matrix[B]) layout.Matrix[T] {
	mem.Normalize(&b)
	c := layout.New[T](call.DistinctRows(b), b.Cols)
	t := dtype.Of[B]()
	for i := range c.Rows {
		row := c.Data[i*b.Cols:][:b.Cols]
		if b.Cols > 0 {
			mem.Widen(row, unsafe.Pointer(&b.Data[i*b.RowStride]), b.ColStride*t.Size(), t)
		}
	}
	if c.Rows < b.Rows {
		c.Rows, c.RowStride = b.Rows, 0
	}
	return c
}
