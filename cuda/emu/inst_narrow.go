package emu

import "math"

// Integer instructions of less than a word: 24-bit products, dot products of halves
// and bytes, packing, masks (ISA 9.7.1, 9.7.8, 9.7.9.23).

// low24 reads the low 24 bits of x.
func low24(x uint64, t typ) int64 {
	if t.signed() {
		return int64(int32(x<<8)) >> 8
	}
	return int64(x & 0xffffff)
}

// product24 returns the low or the upper 32 of the 48 bits of a product.
func (c *compiler) product24() (t typ, f func(x, y uint64) uint64) {
	half := c.one(".lo", ".hi")
	shift := 0
	if half == ".hi" {
		shift = 16
	}
	t = c.oneOf("u32 s32")
	return t, func(x, y uint64) uint64 { return uint64(uint32(low24(x, t) * low24(y, t) >> shift)) }
}

func (c *compiler) mul24() {
	t, f := c.product24()
	c.binary(t, t, t, f)
}

func (c *compiler) mad24() {
	sat := c.has(".sat")
	hi := c.anyOf(".hi")
	t, f := c.product24()
	if sat && (!hi || !t.signed()) {
		c.fail(".sat is for mad24.hi.s32")
	}
	c.ternary(t, t, t, t, func(x, y, z uint64) uint64 {
		s := int64(int32(f(x, y))) + int64(int32(z))
		if sat {
			s = min(max(s, math.MinInt32), math.MaxInt32)
		}
		return uint64(uint32(s))
	})
}

// dp2a: d = c + the sum of the products of two halves of a with two bytes of b.
func (c *compiler) dp2a() {
	half := c.one(".lo", ".hi")
	first := uint64(0)
	if half == ".hi" {
		first = 2
	}
	c.dotProduct(2, func(x uint64, i int, signed bool) int64 {
		if x >>= 16 * i; signed {
			return int64(int16(x))
		}
		return int64(uint16(x))
	}, func(y uint64, i int, signed bool) int64 { return byteOf(y>>(8*first), i, signed) })
}

// dp4a: the same of four bytes each.
func (c *compiler) dp4a() { c.dotProduct(4, byteOf, byteOf) }

func byteOf(x uint64, i int, signed bool) int64 {
	if x >>= 8 * i; signed {
		return int64(int8(x))
	}
	return int64(uint8(x))
}

// dotProduct makes d = c + the sum of n products; each factor has its type.
func (c *compiler) dotProduct(n int, ofA, ofB func(x uint64, i int, signed bool) int64) {
	a, b := c.oneOf("u32 s32"), c.oneOf("u32 s32")
	u, d := types["b32"], types["s32"]
	if !a.signed() && !b.signed() {
		d = types["u32"]
	}
	c.ternary(d, u, u, d, func(x, y, z uint64) uint64 {
		s := int64(z)
		for i := range n {
			s += ofA(x, i, a.signed()) * ofB(y, i, b.signed())
		}
		return uint64(uint32(s))
	})
}

// packedTypes are the types that cvt.pack converts to: bits and sign.
var packedTypes = map[string]struct {
	bits   int
	signed bool
}{
	".u16": {16, false}, ".s16": {16, true}, ".u8": {8, false}, ".s8": {8, true},
	".u4": {4, false}, ".s4": {4, true}, ".u2": {2, false}, ".s2": {2, true},
}

// cvtPackInts is cvt.pack: a and b, clamped, side by side, b the lower one; of types
// that leave room, c above them.
func (c *compiler) cvtPackInts() {
	c.need(".sat", ".sat")
	to := packedTypes[c.need("a type to pack, such as .u8,", ".u16", ".s16", ".u8", ".s8", ".u4", ".s4", ".u2", ".s2")]
	from := c.oneOf("s32")
	least, most := int64(0), int64(1)<<to.bits-1
	if to.signed {
		least, most = -1<<(to.bits-1), 1<<(to.bits-1)-1
	}
	clamp := func(x uint64) uint64 { return uint64(min(max(int64(int32(x)), least), most)) & (1<<to.bits - 1) }
	if to.bits == 16 {
		c.binary(types["b32"], from, from, func(x, y uint64) uint64 { return clamp(x)<<16 | clamp(y) })
		return
	}
	rest := c.oneOf("b32")
	c.ternary(rest, from, from, rest, func(x, y, z uint64) uint64 {
		return uint64(uint32(z<<(2*to.bits) | clamp(x)<<to.bits | clamp(y)))
	})
}

// bmsk: a mask of b bits from bit a.
func (c *compiler) bmsk() {
	clamp := c.bitsMode()
	t := c.oneOf("b32")
	c.binary(t, t, t, func(at, n uint64) uint64 {
		if !clamp {
			at, n = at&31, n&31
		}
		if at > 31 {
			return 0
		}
		return (1<<min(n, 32) - 1) << at & 0xffffffff
	})
}

// szext: the low b bits of a, extended.
func (c *compiler) szext() {
	clamp := c.bitsMode()
	t := c.oneOf("u32 s32")
	c.binary(t, t, types["u32"], func(x, n uint64) uint64 {
		switch {
		case !clamp:
			n &= 31
		case n > 31:
			return x
		}
		if n == 0 {
			return 0
		}
		if t.signed() {
			return uint64(uint32(int32(x<<(32-n)) >> (32 - n)))
		}
		return x & (1<<n - 1)
	})
}

func (c *compiler) bitsMode() (clamp bool) { return c.one(".clamp", ".wrap") == ".clamp" }

// fns: the place of the n-th one of a mask, counted from a base.
func (c *compiler) fns() {
	u := c.oneOf("b32")
	c.ternary(u, u, u, types["s32"], func(mask, base, offset uint64) uint64 {
		n := int64(int32(offset))
		step := int64(1)
		if n < 0 {
			n, step = -n, -1
		}
		at := int64(base)
		if n == 0 {
			if at < 32 && mask>>at&1 != 0 {
				return base
			}
			return 0xffffffff
		}
		for ; at >= 0 && at < 32; at += step {
			if mask>>at&1 == 0 {
				continue
			}
			if n--; n == 0 {
				return uint64(at)
			}
		}
		return 0xffffffff
	})
}
