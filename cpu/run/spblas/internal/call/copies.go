package call

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/internal/budget"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// UnpackRows stores rows from to to-1 of m, which lie at p.
func UnpackRows[T dtype.Float](p unsafe.Pointer, width int, m layout.Matrix[T], from, to int) {
	for i := from; i < to; i++ {
		row := SliceOf((*T)(unsafe.Add(p, (i-from)*width)), m.Cols)
		if m.ColStride == 1 {
			copy(m.Data[i*m.RowStride:], row)
			continue
		}
		for j, x := range row {
			m.Data[i*m.RowStride+j*m.ColStride] = x
		}
	}
}

// ScratchLimit is how many bytes a call may take for copies of an operand that has
// so many elements. That is as much as they take themselves, since there was room for
// them, and what buffers keep anyway. A stride of 0 makes a matrix of any size out of
// one element, and its copy is not to be of that size.
func ScratchLimit(elements, size int) int {
	return max(mem.Volume(elements, size), budget.Kept/2)
}

// CopyColumns returns how many columns of m RowsOf may copy at a time. These are all,
// or, if m has far more places than elements, as many as its limit allows.
func CopyColumns[T dtype.Elem](m layout.Matrix[T]) int {
	mem.Normalize(&m)
	if m.Rows == 0 || m.Cols == 0 || m.ColStride == 1 {
		return max(m.Cols, 1)
	}
	column := mem.Volume(DistinctRows(m), dtype.Of[T]().Size())
	return min(m.Cols, max(1, ScratchLimit(len(m.Data), dtype.Of[T]().Size())/column))
}

// PackLimit is ScratchLimit for copies in panels, whose rows are padded to a vector or a
// line. A panel of one column is 64 times as large as the column.
func PackLimit(elements, size int) int {
	return max(mem.Volume(elements, size, mem.Line), budget.Kept)
}

// Copies reports whether copies of all matrices stay within their limits.
func Copies[T dtype.Elem](all ...layout.Matrix[T]) bool {
	for _, m := range all {
		if CopyColumns(m) < m.Cols {
			return false
		}
	}
	return true
}

// CheckCopy panics with a [layout.ShapeError] if a copy of m does not stay within its
// limit. It is for calls that cannot do without.
func CheckCopy[T dtype.Elem](name, what string, m layout.Matrix[T]) {
	if n := CopyColumns(m); n < m.Cols {
		check.Call(name).Refuse("%s is %d x %d with strides (%d, %d) on %d elements, a copy with contiguous rows is too large; give it contiguous rows, or fewer columns",
			what, m.Rows, m.Cols, m.RowStride, m.ColStride, len(m.Data))
	}
}

// BySlabs calls do for slabs of columns of out and b so narrow that a copy of each slab
// of b stays within its limit. Mostly it calls once, for all.
func BySlabs[T, B dtype.Elem](out layout.Matrix[T], b layout.Matrix[B], do func(out layout.Matrix[T], b layout.Matrix[B])) {
	n := CopyColumns(b)
	if n >= out.Cols {
		do(out, b)
		return
	}
	for j := 0; j < out.Cols; j += n {
		end := min(j+n, out.Cols)
		do(out.Slice(0, out.Rows, j, end), b.Slice(0, b.Rows, j, end))
	}
}

// RowsOf returns m with contiguous rows: itself, or a copy in buf.
func RowsOf[T dtype.Elem](buf *mem.Buffer, m layout.Matrix[T]) mem.Operand {
	mem.Normalize(&m)
	if m.Rows == 0 || m.Cols == 0 {
		return mem.Operand{}
	}
	if m.ColStride == 1 {
		return mem.OperandOf(m)
	}
	rows := DistinctRows(m)
	o := buf.Rows(rows, m.Cols, dtype.Of[T]().Size())
	CopyRows(SliceOf((*T)(o.P), rows*m.Cols), m)
	if rows < m.Rows {
		o.RS = 0
	}
	return o
}

// ContiguousRows is RowsOf with memory of its own.
func ContiguousRows[T dtype.Float](m layout.Matrix[T]) layout.Matrix[T] {
	mem.Normalize(&m)
	if m.ColStride == 1 {
		return m
	}
	c := layout.New[T](DistinctRows(m), m.Cols)
	CopyRows(c.Data, m)
	if c.Rows < m.Rows {
		c.Rows, c.RowStride = m.Rows, 0
	}
	return c
}

// DistinctRows is how many rows a copy of m needs: one if all are the same, which may
// be far more than there are elements.
func DistinctRows[T dtype.Elem](m layout.Matrix[T]) int {
	if m.RowStride == 0 {
		return min(m.Rows, 1)
	}
	return m.Rows
}

// CopyRows copies the distinct rows of m to dst, one after another.
func CopyRows[T dtype.Elem](dst []T, m layout.Matrix[T]) {
	const block = 32 // both sides of the copy stay within a few lines and pages
	rows := DistinctRows(m)
	for i0 := 0; i0 < rows; i0 += block {
		for j0 := 0; j0 < m.Cols; j0 += block {
			for i := i0; i < min(i0+block, rows); i++ {
				for j := j0; j < min(j0+block, m.Cols); j++ {
					dst[i*m.Cols+j] = m.Data[i*m.RowStride+j*m.ColStride]
				}
			}
		}
	}
}
