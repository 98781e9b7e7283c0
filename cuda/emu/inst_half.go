package emu

import "math"

// Half precision and bfloat16, alone and in pairs (ISA 9.7.4): computed exactly or
// rounded to odd in double precision, and rounded once.

// A halfType is how the register of a half type is taken apart.
type halfType struct {
	*format
	pair bool
}

func halfOf(t typ) halfType {
	switch t.name {
	case "f16":
		return halfType{formats["f16"], false}
	case "f16x2":
		return halfType{formats["f16"], true}
	case "bf16":
		return halfType{formats["bf16"], false}
	}
	return halfType{formats["bf16"], true}
}

// each applies f to each number of the operands.
func (h halfType) each(f func(x, y, z uint64) uint64, x, y, z uint64) uint64 {
	if !h.pair {
		return f(x, y, z)
	}
	return f(x&0xffff, y&0xffff, z&0xffff) | f(x>>16, y>>16, z>>16)<<16
}

// A halfMode is how results are finished.
type halfMode struct{ ftz, sat, relu bool }

func (c *compiler) halfMode() halfMode {
	c.take(".rn")
	return halfMode{c.has(".ftz"), c.has(".sat"), c.has(".relu")}
}

func (h halfType) in(x uint64, m halfMode) float64 {
	v := h.decode(x)
	if m.ftz && h.exp == 5 && math.Abs(v) < 0x1p-14 {
		return math.Copysign(0, v)
	}
	return v
}

func (h halfType) out(v float64, m halfMode) uint64 {
	switch {
	case v != v && m.sat:
		v = 0
	case m.sat:
		v = min(max(v, 0), 1)
	case m.relu && v < 0:
		v = 0
	}
	b := h.encode(v, roundNear, false)
	if m.ftz && h.exp == 5 && b&0x7c00 == 0 {
		b &= 0x8000
	}
	return b
}

func (c *compiler) half1(t typ, f func(float64) float64) {
	h, m := halfOf(t), c.halfMode()
	c.take(".approx")
	one := func(x, _, _ uint64) uint64 { return h.out(f(h.in(x, m)), m) }
	c.setUnary(t, func(x uint64) uint64 { return h.each(one, x, 0, 0) })
}

func (c *compiler) half2(t typ, f func(a, b float64) float64) {
	h, m := halfOf(t), c.halfMode()
	one := func(x, y, _ uint64) uint64 { return h.out(f(h.in(x, m), h.in(y, m)), m) }
	c.setBinary(t, func(x, y uint64) uint64 { return h.each(one, x, y, 0) })
}

func (c *compiler) halfFma(t typ) {
	h, m := halfOf(t), c.halfMode()
	one := func(x, y, z uint64) uint64 {
		p, a := h.in(x, m)*h.in(y, m), h.in(z, m)
		s := p + a
		if s != 0 && finite(s) {
			s = addOdd(p, a)
		}
		return h.out(s, m)
	}
	c.setTernary(t, func(x, y, z uint64) uint64 { return h.each(one, x, y, z) })
}

func (c *compiler) halfAbs(t typ) {
	h := halfOf(t)
	c.setUnary(t, func(x uint64) uint64 { return h.each(func(x, _, _ uint64) uint64 { return x &^ 0x8000 }, x, 0, 0) })
}

func (c *compiler) halfNeg(t typ) {
	h := halfOf(t)
	c.setUnary(t, func(x uint64) uint64 { return h.each(func(x, _, _ uint64) uint64 { return x ^ 0x8000 }, x, 0, 0) })
}

func (c *compiler) halfExtremum(t typ, least bool) {
	h, m := halfOf(t), c.halfMode()
	nan := c.has(".NaN")
	one := func(x, y, _ uint64) uint64 { return h.out(extreme(h.in(x, m), h.in(y, m), least, nan), m) }
	c.setBinary(t, func(x, y uint64) uint64 { return h.each(one, x, y, 0) })
}
