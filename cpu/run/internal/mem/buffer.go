package mem

import "unsafe"

// Buffer is memory for packed operands, aligned to cache lines and kept between
// calls. It holds numbers only, never pointers.
type Buffer struct {
	P   unsafe.Pointer
	mem []byte
}

// Line is the bytes of a cache line.
const Line = 64

// slack is room beyond what is asked for: kernels may write whole vectors.
const slack = 2 * Line

// Kept is the most that a buffer keeps between calls of what grows with the operands:
// it must not hold as much as the largest of them for good.
var Kept = 64 << 20

// Trim lets go of more than that.
func (b *Buffer) Trim() {
	if len(b.mem) > Kept {
		*b = Buffer{}
	}
}

// Grow makes room for n bytes; what was in the buffer may be lost.
func (b *Buffer) Grow(n int) {
	if n+slack+Line <= len(b.mem) {
		return
	}
	b.mem = make([]byte, n+slack+Line)
	b.P = unsafe.Pointer(unsafe.SliceData(b.mem))
	if r := Misaligned(b.P, Line); r != 0 {
		b.P = unsafe.Add(b.P, Line-r)
	}
}

// Rows makes room for a dense matrix with contiguous rows.
func (b *Buffer) Rows(rows, cols, size int) Operand {
	b.Grow(rows * cols * size)
	return Operand{b.P, cols * size, size}
}
