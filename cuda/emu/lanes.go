package emu

import "iter"

// lanesOf goes through the lanes of a mask. The loops below, which most instructions are, are written out.
func lanesOf(m uint32) iter.Seq[int] {
	return func(yield func(lane int) bool) {
		for ; m != 0; m &= m - 1 {
			if !yield(trailing(m) & 31) {
				return
			}
		}
	}
}

// The loops over the lanes of a warp. f has the bits of operands, zero-extended,
// and returns those of the result.

func lanes1(d, a int, f func(x uint64) uint64) func(*warp, uint32) {
	return func(w *warp, m uint32) {
		D, A := &w.r[d], &w.r[a]
		if m == fullMask {
			for i := range D {
				D[i] = f(A[i])
			}
			return
		}
		for ; m != 0; m &= m - 1 {
			i := trailing(m) & 31
			D[i] = f(A[i])
		}
	}
}

func lanes2(d, a, b int, f func(x, y uint64) uint64) func(*warp, uint32) {
	return func(w *warp, m uint32) {
		D, A, B := &w.r[d], &w.r[a], &w.r[b]
		if m == fullMask {
			for i := range D {
				D[i] = f(A[i], B[i])
			}
			return
		}
		for ; m != 0; m &= m - 1 {
			i := trailing(m) & 31
			D[i] = f(A[i], B[i])
		}
	}
}

func lanes3(d, a, b, c int, f func(x, y, z uint64) uint64) func(*warp, uint32) {
	return func(w *warp, m uint32) {
		D, A, B, C := &w.r[d], &w.r[a], &w.r[b], &w.r[c]
		if m == fullMask {
			for i := range D {
				D[i] = f(A[i], B[i], C[i])
			}
			return
		}
		for ; m != 0; m &= m - 1 {
			i := trailing(m) & 31
			D[i] = f(A[i], B[i], C[i])
		}
	}
}

// test sets predicate p, and q to the opposite, from a comparison. -1 is none.
func test(p int, a, b int, f func(x, y uint64) bool, combine func(w *warp, t uint32) (p, q uint32), q int) func(*warp, uint32) {
	return func(w *warp, m uint32) {
		A, B := &w.r[a], &w.r[b]
		t := uint32(0)
		for n := m; n != 0; n &= n - 1 {
			i := trailing(n) & 31
			if f(A[i], B[i]) {
				t |= 1 << i
			}
		}
		x, y := t, ^t
		if combine != nil {
			x, y = combine(w, t)
		}
		w.setPred(p, m, x)
		w.setPred(q, m, y)
	}
}

// unary, binary and ternary make the instruction an operation on the lanes of operands 1, 2, …
// of types a, b, z. The result is operand 0, of type d.
func (c *compiler) unary(d, a typ, f func(x uint64) uint64) {
	c.arity(2, 2)
	c.ins.run = lanes1(c.dst(0, d), c.src(1, a), f)
}

func (c *compiler) binary(d, a, b typ, f func(x, y uint64) uint64) {
	c.arity(3, 3)
	c.ins.run = lanes2(c.dst(0, d), c.src(1, a), c.src(2, b), f)
}

func (c *compiler) ternary(d, a, b, z typ, f func(x, y, z uint64) uint64) {
	c.arity(4, 4)
	c.ins.run = lanes3(c.dst(0, d), c.src(1, a), c.src(2, b), c.src(3, z), f)
}
