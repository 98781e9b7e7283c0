package emu

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
		if p >= 0 {
			w.p[p] = w.p[p]&^m | x&m
		}
		if q >= 0 {
			w.p[q] = w.p[q]&^m | y&m
		}
	}
}

// setUnary, setBinary and setTernary make operands 0, 1, … of type t an operation.
func (c *compiler) setUnary(t typ, f func(x uint64) uint64) {
	c.arity(2, 2)
	c.ins.run = lanes1(c.dst(0, t), c.src(1, t), f)
}

func (c *compiler) setBinary(t typ, f func(x, y uint64) uint64) {
	c.arity(3, 3)
	c.ins.run = lanes2(c.dst(0, t), c.src(1, t), c.src(2, t), f)
}

func (c *compiler) setTernary(t typ, f func(x, y, z uint64) uint64) {
	c.arity(4, 4)
	c.ins.run = lanes3(c.dst(0, t), c.src(1, t), c.src(2, t), c.src(3, t), f)
}
