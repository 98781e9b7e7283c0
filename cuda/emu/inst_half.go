package emu

import (
	"math"
	"strings"
)

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

// halfMode takes what may finish a result of type t, of those named. bfloat16 is
// neither flushed nor clamped.
func (c *compiler) halfMode(t typ, names string) (m halfMode) {
	brain := t.is("bf16", "bf16x2")
	for _, n := range strings.Fields(names) {
		switch {
		case brain && n != ".relu":
		case n == ".ftz":
			m.ftz = c.has(n)
		case n == ".sat":
			m.sat = c.has(n)
		default:
			m.relu = c.has(n)
		}
	}
	return m
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
	return h.flush(b, m)
}

// flush makes a subnormal number zero if m says so.
func (h halfType) flush(b uint64, m halfMode) uint64 {
	if m.ftz && h.exp == 5 && b&0x7c00 == 0 {
		return b & 0x8000
	}
	return b
}

// halfApprox makes ex2 and tanh. For ex2, bfloat16 is the form that flushes.
func (c *compiler) halfApprox(t typ, f func(float64) float64) {
	h, m := halfOf(t), halfMode{}
	if c.in.op == "ex2" && t.is("bf16", "bf16x2") {
		c.need(".ftz", ".ftz")
	}
	one := func(x, _, _ uint64) uint64 { return h.out(f(h.in(x, m)), m) }
	c.unary(t, t, func(x uint64) uint64 { return h.each(one, x, 0, 0) })
}

func (c *compiler) half2(t typ, f func(a, b float64) float64) {
	c.take(".rn")
	h, m := halfOf(t), c.halfMode(t, ".ftz .sat")
	one := func(x, y, _ uint64) uint64 { return h.out(f(h.in(x, m), h.in(y, m)), m) }
	c.binary(t, t, t, func(x, y uint64) uint64 { return h.each(one, x, y, 0) })
}

func (c *compiler) halfFma(t typ) {
	c.need(".rn", ".rn")
	h, m := halfOf(t), c.halfMode(t, ".ftz .sat .relu")
	if m.sat && m.relu {
		c.fail(".sat and .relu exclude each other")
	}
	one := func(x, y, z uint64) uint64 {
		p, a := h.in(x, m)*h.in(y, m), h.in(z, m)
		s := p + a
		if s != 0 && finite(s) {
			s = addOdd(p, a)
		}
		return h.out(s, m)
	}
	c.ternary(t, t, t, t, func(x, y, z uint64) uint64 { return h.each(one, x, y, z) })
}

// halfSigned is signed for half floats.
func halfSigned(f func(x, sign uint64) uint64) func(c *compiler, t typ) {
	return func(c *compiler, t typ) {
		h, m := halfOf(t), c.halfMode(t, ".ftz")
		one := func(x, _, _ uint64) uint64 { return f(h.flush(x, m), 0x8000) }
		c.unary(t, t, func(x uint64) uint64 { return h.each(one, x, 0, 0) })
	}
}

func (c *compiler) halfExtremum(t typ, least bool) {
	h, m := halfOf(t), c.halfMode(t, ".ftz")
	nan := c.has(".NaN")
	signs := c.xorSign()
	one := func(x, y, _ uint64) uint64 { return h.out(signs.of(h.in(x, m), h.in(y, m), least, nan), m) }
	c.binary(t, t, t, func(x, y uint64) uint64 { return h.each(one, x, y, 0) })
}
