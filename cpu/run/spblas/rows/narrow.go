package rows

import (
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
	for i := range c.Rows {
		row := c.Data[i*b.Cols:][:b.Cols]
		if b.Cols > 0 {
			widenRow(row, b.Data[i*b.RowStride:], b.ColStride)
		}
	}
	if c.Rows < b.Rows {
		c.Rows, c.RowStride = b.Rows, 0
	}
	return c
}

// widenRow sets dst to elements of src that are so far apart.
func widenRow[T dtype.Float, B dtype.Elem](dst []T, src []B, step int) {
	switch src := any(src).(type) {
	case []float32:
		widenBy(dst, src, step, func(x float32) T { return T(x) })
	case []float64:
		widenBy(dst, src, step, func(x float64) T { return T(x) })
	case []int8:
		widenBy(dst, src, step, func(x int8) T { return T(x) })
	case []uint8:
		widenBy(dst, src, step, func(x uint8) T { return T(x) })
	case []int16:
		widenBy(dst, src, step, func(x int16) T { return T(x) })
	case []dtype.BF16:
		widenBy(dst, src, step, func(x dtype.BF16) T { return T(x.Float32()) })
	case []dtype.F16:
		widenBy(dst, src, step, func(x dtype.F16) T { return T(x.Float32()) })
	}
}

func widenBy[T dtype.Float, B dtype.Elem](dst []T, src []B, step int, widen func(x B) T) {
	for j := range dst {
		dst[j] = widen(src[j*step])
	}
}
