package run

import (
	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/layout/sparse24"
)

// A24 is [A] for the kernels of sparse products. Several matrices are a batch.
func A24[T sparse24.Elem](c *Call, m cuda.Sparse24[T]) {
	slot := c.next(Meta)
	if c.err != nil {
		return
	}
	count := m.Count()
	if count <= 1 {
		count = 0
	}
	width, words := sparse24.Sizes[T](m.Cols())
	blocks := m.Rows()/16 + min(m.Rows()%16, 1)
	values := cuda.Matrix[T]{Data: m.Values(), Rows: m.Rows(), Cols: width, RowStride: stride(width), ColStride: 1}
	factor(c, 0, "a", c.set.A, Batch[T]{Matrix: values, Count: count, Stride: m.Rows() * width})
	if c.err != nil {
		return
	}
	c.a.cols = m.Cols()
	meta := cuda.Matrix[int32]{Data: m.Meta(), Rows: blocks, Cols: words, RowStride: stride(words), ColStride: 1}
	c.slots[slot], c.err = newOperand(c, c.set.Slots[slot].Name, c.set.Slots[slot].Type, Batch[int32]{Matrix: meta, Count: count, Stride: blocks * words}, false)
	if c.err == nil && !(c.a.aligned(16, true) && c.slots[slot].aligned(16, true)) {
		c.err = shape(c, "a", "is not aligned to 16 bytes; upload it by UploadSparse24, or place it at multiples of 16 bytes")
	}
}

// stride is that of rows of n elements; where there are none any that is aligned.
func stride(n int) int {
	if n == 0 {
		return 16
	}
	return n
}
