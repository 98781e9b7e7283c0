package mem

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/internal/budget"
	"github.com/tilesmith/tilesmith/layout/pages"
)

// Buffer is memory for packed operands, aligned to cache lines, or to large pages if it
// has many, and kept between calls. It holds numbers only, never pointers.
type Buffer struct {
	P    unsafe.Pointer
	mem  []byte
	room int // bytes from P on, and slack
}

// Line is the bytes of a cache line.
const Line = 64

// slack is room beyond what is asked for: kernels may write whole vectors.
const slack = 2 * Line

// Trim lets go of more than budget.Kept: a buffer must not hold as much as the largest operands for good.
func (b *Buffer) Trim() {
	if len(b.mem) > budget.Kept {
		*b = Buffer{}
	}
}

// Grow makes room for n bytes; what was in the buffer may be lost.
func (b *Buffer) Grow(n int) {
	if b.mem != nil && n <= b.room {
		return
	}
	align := Line
	if n >= pages.Least {
		align = pages.Huge
	}
	b.mem, b.room = make([]byte, n+slack+align), n
	pages.Advise(b.mem)
	b.P = unsafe.Pointer(unsafe.SliceData(b.mem))
	if r := Misaligned(b.P, align); r != 0 {
		b.P = unsafe.Add(b.P, align-r)
	}
}

// Holds panics if there is no room for n bytes: kernels do not look.
func (b *Buffer) Holds(n int) {
	if n > b.room {
		panic("tilesmith: a kernel would write past its buffer; this is a bug of the run time")
	}
}

// Rows makes room for a dense matrix with contiguous rows.
func (b *Buffer) Rows(rows, cols, size int) Operand {
	b.Grow(rows * cols * size)
	return Operand{b.P, cols * size, size}
}
