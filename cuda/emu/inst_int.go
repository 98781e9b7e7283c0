package emu

import "math/bits"

// Integer arithmetic (ISA 9.7.1).

// intSum is add and sub: x + sign*y, wrapping, or clamped with .sat.
func (c *compiler) intSum(t typ, sign int64) {
	mask := maskOf(t.size)
	if c.anyOf(".cc") {
		c.mods = append(c.mods, t.String())
		c.carrySum(false, sign < 0)
		return
	}
	if c.has(".sat") {
		c.want(t, "s32")
		c.binary(t, t, t, func(x, y uint64) uint64 {
			s := int64(int32(x)) + sign*int64(int32(y))
			return uint64(uint32(min(max(s, -1<<31), 1<<31-1)))
		})
		return
	}
	if sign > 0 {
		c.binary(t, t, t, func(x, y uint64) uint64 { return (x + y) & mask })
	} else {
		c.binary(t, t, t, func(x, y uint64) uint64 { return (x - y) & mask })
	}
}

// wide returns the type of twice the size.
func wide(t typ) typ {
	return types[t.name[:1]+map[int]string{2: "32", 4: "64"}[t.size]]
}

// product returns the low and the high half of x*y.
func product(x, y uint64, t typ) (lo, hi uint64) {
	mask := maskOf(t.size)
	if t.size == 8 {
		hi, lo = bits.Mul64(x, y)
		if t.signed() {
			if int64(x) < 0 {
				hi -= y
			}
			if int64(y) < 0 {
				hi -= x
			}
		}
		return lo, hi
	}
	p := x * y
	if t.signed() {
		p = uint64(signExtend(x, t.size) * signExtend(y, t.size))
	}
	return p & mask, p >> (8 * t.size) & mask
}

// half takes .lo, .hi or .wide.
func (c *compiler) half(t typ) string {
	h := c.one(".lo", ".hi", ".wide")
	if h == ".wide" && t.size == 8 {
		c.fail(".wide of %v has no type", t)
	}
	return h
}

func (c *compiler) intMul(t typ) {
	mask := maskOf(t.size)
	switch c.half(t) {
	case ".lo":
		c.binary(t, t, t, func(x, y uint64) uint64 { return x * y & mask })
	case ".hi":
		c.binary(t, t, t, func(x, y uint64) uint64 { _, hi := product(x, y, t); return hi })
	default:
		c.binary(wide(t), t, t, func(x, y uint64) uint64 {
			lo, hi := product(x, y, t)
			return lo | hi<<(8*t.size)
		})
	}
}

func (c *compiler) intMad(t typ) {
	mask := maskOf(t.size)
	if c.anyOf(".cc") {
		c.mods = append(c.mods, t.String())
		c.carryMad(false)
		return
	}
	h := c.half(t)
	if c.has(".sat") {
		if h != ".hi" || t.name != "s32" {
			c.fail(".sat is for mad.hi.s32")
		}
		c.ternary(t, t, t, t, func(x, y, z uint64) uint64 {
			_, hi := product(x, y, t)
			return uint64(uint32(min(max(int64(int32(hi))+int64(int32(z)), -1<<31), 1<<31-1)))
		})
		return
	}
	switch h {
	case ".lo":
		c.ternary(t, t, t, t, func(x, y, z uint64) uint64 { return (x*y + z) & mask })
	case ".hi":
		c.ternary(t, t, t, t, func(x, y, z uint64) uint64 { _, hi := product(x, y, t); return (hi + z) & mask })
	default:
		w := wide(t)
		wm := maskOf(w.size)
		c.ternary(w, t, t, w, func(x, y, z uint64) uint64 {
			lo, hi := product(x, y, t)
			return (lo | hi<<(8*t.size)) + z
		})
		if w.size < 8 {
			run := c.ins.run
			d := c.ins.dsts[0]
			c.ins.run = func(wp *warp, m uint32) {
				run(wp, m)
				for i := range wp.r[d] {
					wp.r[d][i] &= wm
				}
			}
		}
	}
}

// quotient divides; by zero it gives all ones and x, which the ISA leaves open.
func quotient(x, y uint64, t typ) (q, r uint64) {
	mask := maskOf(t.size)
	if y == 0 {
		return mask, x
	}
	if !t.signed() {
		return x / y, x % y
	}
	a, b := signExtend(x, t.size), signExtend(y, t.size)
	if b == -1 {
		return uint64(-a) & mask, 0
	}
	return uint64(a/b) & mask, uint64(a%b) & mask
}

func (c *compiler) intDiv(t typ) {
	c.binary(t, t, t, func(x, y uint64) uint64 { q, _ := quotient(x, y, t); return q })
}

func (c *compiler) rem() {
	t := c.oneOf(intTypes)
	c.binary(t, t, t, func(x, y uint64) uint64 { _, r := quotient(x, y, t); return r })
}

func (c *compiler) intAbs(t typ) {
	c.want(t, "s16 s32 s64")
	mask := maskOf(t.size)
	c.unary(t, t, func(x uint64) uint64 {
		if v := signExtend(x, t.size); v < 0 {
			return uint64(-v) & mask
		}
		return x
	})
}

func (c *compiler) intNeg(t typ) {
	c.want(t, "s16 s32 s64")
	mask := maskOf(t.size)
	c.unary(t, t, func(x uint64) uint64 { return -x & mask })
}

func (c *compiler) intExtremum(t typ, least bool) {
	relu := t.name == "s32" && c.has(".relu")
	c.binary(t, t, t, func(x, y uint64) uint64 {
		v := y
		if t.less(x, y) == least {
			v = x
		}
		if relu && int32(v) < 0 {
			return 0
		}
		return v
	})
}

func (c *compiler) sad() {
	t := c.oneOf(intTypes)
	mask := maskOf(t.size)
	c.ternary(t, t, t, t, func(x, y, z uint64) uint64 {
		if t.less(x, y) {
			x, y = y, x
		}
		return (x - y + z) & mask
	})
}
