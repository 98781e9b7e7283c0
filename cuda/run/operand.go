package run

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Batch is Count matrices of one shape and one layout, the first of them Matrix and
// each Stride elements after the one before. A Stride of 0 repeats one matrix, in
// operands that are only read; so does a Count of 0, for which Stride has no meaning.
// Matrix.Data holds the elements of all of them.
type Batch[T dtype.Elem] struct {
	cuda.Matrix[T]
	Count, Stride int
}

// operand is a matrix or vector without its type.
type operand struct {
	name       string
	addr       uint64
	size       int64 // of an element
	rows, cols int
	rs, cs, bs int64 // bytes
	count      int   // 0: one for all products of a batch
	// block is what it covers, in bytes, for overlap.
	block cuda.Matrix[int8]
}

// newOperand checks m by itself.
func newOperand[T dtype.Elem](c *Call, name string, want dtype.Type, b Batch[T], out bool) (o operand, err error) {
	m := b.Matrix
	if t := dtype.Of[T](); t != want {
		return o, fmt.Errorf("%s: %s has elements of %v, the kernel's are %v", c.set.Name, name, t, want)
	}
	check := m.Check
	if out {
		check = m.CheckOut
	}
	if err := check(name); err != nil {
		return o, fmt.Errorf("%s: %w", c.set.Name, err)
	}
	if err := m.CheckOn(c.stream.Device(), name); err != nil {
		return o, fmt.Errorf("%s: %w", c.set.Name, err)
	}
	size := int64(want.Size())
	o = operand{name: name, addr: m.Address(), size: size, rows: m.Rows, cols: m.Cols,
		rs: int64(m.RowStride) * size, cs: int64(m.ColStride) * size, bs: int64(b.Stride) * size, count: b.Count}
	if b.Count <= 1 {
		o.bs = 0 // there is no next one, so a Stride is not checked
	}
	if m.Rows == 0 || m.Cols == 0 {
		return o, nil
	}
	span := (m.Rows-1)*m.RowStride + (m.Cols-1)*m.ColStride + 1
	if b.Count > 1 {
		switch left := m.Data.Len() - span; {
		case b.Stride < 0:
			return o, shape(c, name, "the stride %d between products must not be negative", b.Stride)
		case b.Stride > 0 && left/b.Stride < b.Count-1:
			return o, shape(c, name, "%d elements do not hold %d products %d elements apart", m.Data.Len(), b.Count, b.Stride)
		case out && b.Stride < span:
			return o, shape(c, name, "products %d elements apart overlap; each takes %d", b.Stride, span)
		}
		span += (b.Count - 1) * b.Stride
	}
	bytes, err := cuda.View[int8](m.Data.Memory(), m.Data.Offset(), span*int(size))
	if err != nil {
		return o, fmt.Errorf("%s: %s: %w", c.set.Name, name, err)
	}
	o.block = cuda.Matrix[int8]{Data: bytes, Rows: 1, Cols: span * int(size), RowStride: span * int(size), ColStride: 1}
	if m.RowStride == 1 && m.ColStride != 1 {
		m = m.T()
	}
	if b.Count <= 1 && m.ColStride == 1 {
		o.block = cuda.Matrix[int8]{Data: bytes, Rows: m.Rows, Cols: m.Cols * int(size), RowStride: m.RowStride * int(size), ColStride: 1}
	}
	return o, nil
}

func shape(c *Call, name, format string, args ...any) error {
	return fmt.Errorf("%s: %w", c.set.Name, layout.ShapeError{What: name, Why: fmt.Sprintf(format, args...)})
}

// empty reports whether o has no elements.
func (o *operand) empty() bool { return o.rows == 0 || o.cols == 0 }

// same reports whether o and p are the same view of the same elements.
func (o *operand) same(p *operand) bool {
	return o.addr == p.addr && o.size == p.size && o.rows == p.rows && o.cols == p.cols && o.rs == p.rs && o.cs == p.cs &&
		(o.bs == p.bs || o.count <= 1 && p.count <= 1)
}

// aligned reports whether o's addresses are multiples of unit bytes. These are the
// first address and the starts of its lines. A line is contiguous along columns if
// byRows is set. Strides that are never taken do not matter.
func (o *operand) aligned(unit int64, byRows bool) bool {
	contiguous, n, along, lines := o.cs, o.cols, o.rs, o.rows
	if !byRows {
		contiguous, n, along, lines = o.rs, o.rows, o.cs, o.cols
	}
	return (contiguous == o.size || n <= 1) && o.addr%uint64(unit) == 0 &&
		(along%unit == 0 || lines <= 1) && (o.bs%unit == 0 || o.count <= 1)
}
