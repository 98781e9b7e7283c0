package emu

import "math/bits"

// Logic, shifts and bit fields (ISA 9.7.7, 9.7.1).

func (c *compiler) logic(f func(x, y uint64) uint64) {
	t := c.oneOf("pred b16 b32 b64")
	if t.class != classPred {
		c.binary(t, t, t, f)
		return
	}
	c.arity(3, 3)
	d := c.predDst(c.arg(0))
	a, na := c.predSrc(c.arg(1))
	b, nb := c.predSrc(c.arg(2))
	c.ins.run = func(w *warp, m uint32) {
		v := uint32(f(uint64(w.pred(a, na)), uint64(w.pred(b, nb))))
		w.setPred(d, m, v)
	}
}

// pred returns predicate p of all lanes.
func (w *warp) pred(p int, not bool) uint32 {
	if not {
		return ^w.p[p]
	}
	return w.p[p]
}

// setReg and setPred give lanes a value of a register, and of a predicate, of which -1 is none.
func (w *warp) setReg(r int, m uint32, v uint64) {
	for i := range lanesOf(m) {
		w.r[r][i] = v
	}
}

func (w *warp) setPred(p int, m, v uint32) {
	if p >= 0 {
		w.p[p] = w.p[p]&^m | v&m
	}
}

func (c *compiler) not() {
	t := c.oneOf("pred b16 b32 b64")
	if t.class != classPred {
		mask := maskOf(t.size)
		c.unary(t, t, func(x uint64) uint64 { return ^x & mask })
		return
	}
	c.arity(2, 2)
	d := c.predDst(c.arg(0))
	a, na := c.predSrc(c.arg(1))
	c.ins.run = func(w *warp, m uint32) { w.setPred(d, m, ^w.pred(a, na)) }
}

func (c *compiler) cnot() {
	t := c.oneOf("b16 b32 b64")
	c.unary(t, t, func(x uint64) uint64 {
		if x == 0 {
			return 1
		}
		return 0
	})
}

// Shifts by the width or more leave nothing but copies of the sign.
func (c *compiler) shl() {
	t := c.oneOf("b16 b32 b64")
	mask := maskOf(t.size)
	c.binary(t, t, types["b32"], func(x, n uint64) uint64 { return x << n & mask })
}

func (c *compiler) shr() {
	t := c.oneOf("b16 b32 b64 u16 u32 u64 s16 s32 s64")
	mask := maskOf(t.size)
	c.binary(t, t, types["b32"], func(x, n uint64) uint64 {
		if t.signed() {
			return uint64(signExtend(x, t.size)>>n) & mask
		}
		return x >> n
	})
}

func (c *compiler) shf() {
	right := c.take(".l", ".r")
	mode := c.take(".clamp", ".wrap")
	if right == "" || mode == "" {
		c.fail("wants .l or .r and .clamp or .wrap")
	}
	t := c.oneOf("b32")
	c.ternary(t, t, t, t, func(lo, hi, n uint64) uint64 {
		if mode == ".wrap" {
			n &= 31
		}
		n = min(n, 32)
		x := hi<<32 | lo
		if right == ".r" {
			return uint64(uint32(x >> n))
		}
		return uint64(uint32(x << n >> 32))
	})
}

func (c *compiler) lop3() {
	t := c.oneOf("b32")
	join := c.take(".or", ".and")
	if join == "" {
		c.arity(5, 5)
	} else {
		c.arity(6, 6)
		c.require(82, 70)
	}
	imm := c.arg(4)
	if imm.kind != argInt || imm.bits > 255 {
		c.failAt(imm, "the table of lop3 is a number from 0 to 255")
	}
	table := imm.bits
	d, p := -1, -1
	if join == "" {
		d = c.dst(0, t)
	} else {
		// d|p: p says whether d is not 0, joined with another predicate.
		if c.arg(0).pair == nil {
			c.failAt(c.arg(0), "%s wants a register and a predicate for the result, as in %%r1|%%p1", join)
		}
		d, p = c.destOrSink(c.arg(0), t, false), c.predDst(c.arg(0).pair)
	}
	compute := lanes3(d, c.src(1, t), c.src(2, t), c.src(3, t), func(x, y, z uint64) uint64 {
		var r uint64
		for i := range uint64(8) {
			if table>>i&1 == 0 {
				continue
			}
			p, q, s := x, y, z
			if i&4 == 0 {
				p = ^p
			}
			if i&2 == 0 {
				q = ^q
			}
			if i&1 == 0 {
				s = ^s
			}
			r |= p & q & s
		}
		return uint64(uint32(r))
	})
	if p < 0 {
		c.ins.run = compute
		return
	}
	q, not := c.predSrc(c.arg(5))
	c.ins.run = func(w *warp, m uint32) {
		other := w.pred(q, not)
		compute(w, m)
		set := uint32(0)
		for i, v := range w.r[d] {
			if v != 0 {
				set |= 1 << i
			}
		}
		if join == ".or" {
			w.setPred(p, m, set|other)
		} else {
			w.setPred(p, m, set&other)
		}
	}
}

// prmt picks four bytes of eight; bit 3 of a selector copies the byte's sign.
func (c *compiler) prmt() {
	t := c.oneOf("b32")
	mode := c.take(".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16")
	c.ternary(t, t, t, t, func(x, y, sel uint64) uint64 {
		all := y<<32 | x
		s := prmtSelector(mode, sel)
		var r uint64
		for i := range 4 {
			k := s >> (4 * i) & 15
			b := all >> (8 * (k & 7)) & 255
			if k&8 != 0 {
				b = uint64(uint8(int8(b) >> 7))
			}
			r |= b << (8 * i)
		}
		return r
	})
}

// prmtSelector spells a mode of prmt as four selectors (ISA 9.7.9.7, table).
func prmtSelector(mode string, sel uint64) uint64 {
	n := sel & 3
	switch mode {
	case ".f4e":
		return 0x3210 + n*0x1111
	case ".b4e":
		r := uint64(0)
		for i := range uint64(4) {
			r |= (n - i) & 7 << (4 * i)
		}
		return r
	case ".rc8":
		return n * 0x1111
	case ".ecl":
		r := uint64(0)
		for i := range uint64(4) {
			r |= max(n, i) << (4 * i)
		}
		return r
	case ".ecr":
		r := uint64(0)
		for i := range uint64(4) {
			r |= min(n, i) << (4 * i)
		}
		return r
	case ".rc16":
		return 0x1010 + n&1*0x2222
	}
	return sel
}

func (c *compiler) bfe() {
	t := c.oneOf("u32 s32 u64 s64")
	width := uint64(t.bits())
	u := types["b32"]
	c.ternary(t, t, u, u, func(x, pos, n uint64) uint64 {
		pos, n = pos&255, n&255
		sign := uint64(0)
		if t.signed() && n > 0 {
			sign = x >> min(pos+n-1, width-1) & 1
		}
		var r uint64
		for i := range width {
			bit := sign
			if i < n && pos+i < width {
				bit = x >> (pos + i) & 1
			}
			r |= bit << i
		}
		return r
	})
}

func (c *compiler) bfi() {
	t := c.oneOf("b32 b64")
	c.arity(5, 5)
	u := types["b32"]
	d, a, b, pos, n := c.dst(0, t), c.src(1, t), c.src(2, t), c.src(3, u), c.src(4, u)
	c.ins.run = func(w *warp, m uint32) {
		for i := range lanesOf(m) {
			p, l := w.r[pos][i]&255, w.r[n][i]&255
			field := uint64(0)
			if l > 0 {
				field = ^uint64(0) >> (64 - min(l, 64)) << p
			}
			w.r[d][i] = (w.r[b][i]&^field | w.r[a][i]<<p&field) & maskOf(t.size)
		}
	}
}

func (c *compiler) bfind() {
	shift := c.has(".shiftamt")
	t := c.oneOf("u32 s32 u64 s64")
	c.unary(types["u32"], t, func(x uint64) uint64 {
		v := x
		if t.signed() {
			if s := signExtend(x, t.size); s < 0 {
				v = ^x & maskOf(t.size)
			}
		}
		if v == 0 {
			return 0xffffffff
		}
		at := uint64(63 - bits.LeadingZeros64(v))
		if shift {
			return uint64(t.bits()-1) - at
		}
		return at
	})
}

func (c *compiler) popc() {
	t := c.oneOf("b32 b64")
	c.unary(types["u32"], t, func(x uint64) uint64 { return uint64(bits.OnesCount64(x)) })
}

func (c *compiler) clz() {
	t := c.oneOf("b32 b64")
	c.unary(types["u32"], t, func(x uint64) uint64 {
		return uint64(bits.LeadingZeros64(x) - (64 - t.bits()))
	})
}

func (c *compiler) brev() {
	t := c.oneOf("b32 b64")
	c.unary(t, t, func(x uint64) uint64 { return bits.Reverse64(x) >> (64 - t.bits()) })
}
