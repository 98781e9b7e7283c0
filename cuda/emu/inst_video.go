package emu

import (
	"math"
	"math/bits"
	"strings"
)

// Scalar video instructions (ISA 9.7.18.1). They do arithmetic on bytes, halves and words
// of registers, which are extended to 33 bits, then clamped, then combined with a third
// operand. The code of ptxas 12.9 for sm_90 differs from the ISA where whole words
// overflow: vadd.u32.u32.u32.sat is not clamped from above, and vmad.u32.u32.u32
// multiplies signed words. Here the ISA is followed.

// A part is what a selector such as .b1 takes of a register.
type part struct{ shift, bits int }

// wholeWord is the part without a selector.
var wholeWord = part{0, 32}

var selectors = map[string]part{
	"b0": {0, 8}, "b1": {8, 8}, "b2": {16, 8}, "b3": {24, 8}, "h0": {0, 16}, "h1": {16, 16},
}

// extract reads the part of x.
func (p part) extract(x uint64, signed bool) int64 {
	if x >>= p.shift; signed {
		return signExtend(x, p.bits/8)
	}
	return int64(x & maskOf(p.bits/8))
}

// merge puts v into the part of x.
func (p part) merge(x uint64, v int64) uint64 {
	field := maskOf(p.bits/8) << p.shift
	return x&^field | uint64(v)<<p.shift&field
}

// clamp returns the number of the part's range that is nearest to v.
func (p part) clamp(v int64, signed bool) int64 {
	if signed {
		return min(max(v, -1<<(p.bits-1)), 1<<(p.bits-1)-1)
	}
	return min(max(v, 0), 1<<p.bits-1)
}

// selected returns operand i without its selector, and the part that it selects.
func (c *compiler) selected(i int) (*argText, part) {
	a := *c.arg(i)
	name, sel, ok := strings.Cut(a.name, ".")
	if a.plus {
		c.failAt(&a, "nothing is added to %s here", clip(a.name))
	}
	switch v := c.in.lookup(name); {
	case v == nil:
		return &a, wholeWord
	case v.space != spaceReg:
		c.failAt(&a, "a register or a constant is wanted")
	case !ok:
		return &a, wholeWord
	}
	p, ok := selectors[sel]
	if !ok {
		c.failAt(&a, ".%s selects nothing here: .b0 to .b3, .h0 and .h1 do", clip(sel))
	}
	a.name = name
	return &a, p
}

func (c *compiler) videoSource(i int) (slot int, p part) {
	a, p := c.selected(i)
	return c.source(a, types["u32"]), p
}

// video makes an instruction of an operation on two numbers of 33 bits; t are the types
// of its result and of both operands. The number of bits at each stage is that of the
// ISA. It shows where .min or .max follows a number of more than 32.
func (c *compiler) video(t [3]typ, sat bool, f func(a, b int64) int64) {
	second := c.take(".add", ".min", ".max")
	c.arity(3, 4)
	third := len(c.in.args) == 4
	d, dp := c.selected(0)
	switch {
	case second != "" && dp != wholeWord:
		c.failAt(d, "%s goes with a whole register", second)
	case (second != "" || dp != wholeWord) && !third:
		c.arity(4, 4)
	}
	a, ap := c.videoSource(1)
	b, bp := c.videoSource(2)
	z := c.constant(0)
	if third {
		z = c.src(3, types["u32"])
	}
	signed := t[0].signed()
	c.ins.run = lanes3(c.dest(d, types["u32"], false), a, b, z, func(x, y, z uint64) uint64 {
		v := lowBits(f(ap.extract(x, t[1].signed()), bp.extract(y, t[2].signed())), 34)
		if sat {
			v = dp.clamp(v, signed)
		}
		v = lowBits(v, 33)
		switch k := wholeWord.extract(z, signed); second {
		case ".add":
			v += k
		case ".min":
			v = min(v, k)
		case ".max":
			v = max(v, k)
		}
		return dp.merge(z, v)
	})
}

// lowBits reads the low n bits of v as a signed integer.
func lowBits(v int64, n int) int64 { return v << (64 - n) >> (64 - n) }

const videoTypes = "u32 s32"

// videoArith is an instruction with the types of its result and of both operands.
func (c *compiler) videoArith(f func(a, b int64) int64) {
	sat := c.has(".sat")
	c.video([3]typ{c.oneOf(videoTypes), c.oneOf(videoTypes), c.oneOf(videoTypes)}, sat, f)
}

func (c *compiler) videoShift(f func(a, n int64) int64) {
	clamp, sat := c.bitsMode(), c.has(".sat")
	t := [3]typ{c.oneOf(videoTypes), c.oneOf(videoTypes), c.oneOf("u32")}
	c.video(t, sat, func(a, n int64) int64 {
		if clamp {
			return f(a, min(n, 32))
		}
		return f(a, n&31)
	})
}

// vset is 1 if a comparison holds, else 0.
func (c *compiler) vset() {
	op := c.need("a comparison such as .lt", ".eq", ".ne", ".lt", ".le", ".gt", ".ge")
	t := [3]typ{types["u32"], c.oneOf(videoTypes), c.oneOf(videoTypes)}
	c.video(t, false, func(a, b int64) int64 { return int64(btoi(ordered(op[1:], a, b))) })
}

// vmad d, a, b, c: a*b + c, or with .po a*b + c + 1, shifted right by .shr7 or .shr15.
// Either the product or c may be negated.
func (c *compiler) vmad() {
	sat, po := c.has(".sat"), c.has(".po")
	shift := map[string]int{".shr7": 7, ".shr15": 15}[c.take(".shr7", ".shr15")]
	c.oneOf(videoTypes) // says nothing: the sign of the result is that of the operands
	ta, tb := c.oneOf(videoTypes), c.oneOf(videoTypes)
	c.arity(4, 4)
	minus := c.arg(1).minus != c.arg(2).minus
	less := c.arg(3).minus
	switch {
	case po && (c.arg(1).minus || c.arg(2).minus || less):
		c.fail(".po goes with no negated operand")
	case minus && less:
		c.fail("either the product or the last operand is negated")
	}
	a, ap := c.videoSource(1)
	b, bp := c.videoSource(2)
	signed := ta.signed() || tb.signed() || minus || less
	c.ins.run = lanes3(c.dst(0, types["u32"]), a, b, c.src(3, types["u32"]), func(x, y, z uint64) uint64 {
		lo, hi := product(uint64(ap.extract(x, ta.signed())), uint64(bp.extract(y, tb.signed())), types["s64"])
		one := uint64(btoi(po || minus || less))
		if minus {
			lo, hi = ^lo, ^hi
		}
		if less {
			z ^= 0xffffffff
		}
		k := wholeWord.extract(z, signed)
		lo, carry := bits.Add64(lo, uint64(k), 0)
		hi, _ = bits.Add64(hi, uint64(k>>63), carry)
		lo, carry = bits.Add64(lo, one, 0)
		hi += carry
		if shift > 0 {
			lo = lo>>shift | hi<<(64-shift)
		}
		switch {
		case sat && signed:
			lo = uint64(wholeWord.clamp(int64(lo), true))
		case sat:
			lo = min(lo, math.MaxUint32)
		}
		return uint64(uint32(lo))
	})
}
