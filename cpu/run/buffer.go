package run

import "unsafe"

// buffer is memory for packed operands, aligned to cache lines and kept between
// calls. It holds numbers only, never pointers.
type buffer struct {
	p   unsafe.Pointer
	mem []byte
}

const line = 64

// slack is room beyond what is asked for: kernels may write whole vectors.
const slack = 2 * line

// kept is the most that a buffer keeps between calls of what grows with the operands:
// it must not hold as much as the largest of them for good.
var kept = 64 << 20

// trim lets go of more than that.
func (b *buffer) trim() {
	if len(b.mem) > kept {
		*b = buffer{}
	}
}

func (b *buffer) grow(n int) {
	if n+slack+line <= len(b.mem) {
		return
	}
	b.mem = make([]byte, n+slack+line)
	b.p = unsafe.Pointer(unsafe.SliceData(b.mem))
	if r := misaligned(b.p, line); r != 0 {
		b.p = unsafe.Add(b.p, line-r)
	}
}
