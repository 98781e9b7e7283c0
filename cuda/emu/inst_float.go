package emu

import (
	"math"
	"slices"
)

// Single and double precision (ISA 9.7.3). NaN results in single precision are
// 0x7fffffff. The .approx instructions are computed in double precision and rounded
// once. That is within every bound of the ISA, but not the bits of any GPU.

// A floatMode is how a result in single precision is finished.
type floatMode struct {
	round    rounding
	ftz, sat bool
}

// mode takes .rn and its like, .ftz and .sat.
func (c *compiler) floatMode(t typ) floatMode {
	m := floatMode{round: roundings[c.take(".rn", ".rz", ".rm", ".rp")], ftz: c.has(".ftz"), sat: c.has(".sat")}
	if t.size == 8 && (m.ftz || m.sat) {
		c.fail(".ftz and .sat are not for .f64")
	}
	return m
}

func (m floatMode) in(x uint64) float32 {
	v := f32(x)
	if m.ftz {
		v = flush32(v)
	}
	return v
}

func (m floatMode) out(v float32) uint64 {
	if m.sat {
		v = saturate32(v)
	}
	if m.ftz {
		v = flush32(v)
	}
	return bits32(v)
}

// float1 makes an operation of one operand.
func (c *compiler) float1(t typ, m floatMode, f func(float32) float32, g func(float64) float64) {
	if t.size == 8 {
		c.unary(t, t, func(x uint64) uint64 { return math.Float64bits(g(f64(x))) })
		return
	}
	c.unary(t, t, func(x uint64) uint64 { return m.out(f(m.in(x))) })
}

// float2 makes an operation of two operands with a rounding.
func (c *compiler) float2(t typ, f func(a, b float32, r rounding) float32, g func(a, b float64, r rounding) float64) {
	m := c.floatMode(t)
	if t.size == 8 {
		c.binary(t, t, t, func(x, y uint64) uint64 { return math.Float64bits(g(f64(x), f64(y), m.round)) })
		return
	}
	c.binary(t, t, t, func(x, y uint64) uint64 { return m.out(f(m.in(x), m.in(y), m.round)) })
}

// rounded refuses an instruction that does not say how it rounds.
func (c *compiler) rounded() {
	if !c.anyOf(".rn", ".rz", ".rm", ".rp") {
		c.fail("a rounding such as .rn is missing")
	}
}

func (c *compiler) floatFma(t typ) {
	c.rounded()
	m := c.floatMode(t)
	if t.size == 8 {
		c.ternary(t, t, t, t, func(x, y, z uint64) uint64 { return math.Float64bits(fma64(f64(x), f64(y), f64(z), m.round)) })
		return
	}
	c.ternary(t, t, t, t, func(x, y, z uint64) uint64 { return m.out(fma32(m.in(x), m.in(y), m.in(z), m.round)) })
}

func (c *compiler) floatDiv(t typ) {
	approx := c.take(".approx", ".full")
	if approx == "" && !c.anyOf(".rn", ".rz", ".rm", ".rp") {
		c.fail("wants a rounding, .approx or .full")
	}
	if approx != "" && t.size == 8 {
		c.fail("%s is for .f32", approx)
	}
	c.float2(t, div32, div64)
}

func (c *compiler) anyOf(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(c.mods, n) })
}

// flushes takes .ftz, which is not for double precision.
func (c *compiler) flushes(t typ) floatMode { return floatMode{ftz: t.size == 4 && c.has(".ftz")} }

// signed is how abs and neg are done on floats: f has the bits of a number and its sign bit.
func signed(f func(x, sign uint64) uint64) func(c *compiler, t typ) {
	return func(c *compiler, t typ) {
		m := c.flushes(t)
		sign := uint64(1) << (t.bits() - 1)
		if t.size == 8 {
			c.unary(t, t, func(x uint64) uint64 { return f(x, sign) })
			return
		}
		c.unary(t, t, func(x uint64) uint64 { return uint64(math.Float32bits(m.in(f(x, sign)))) })
	}
}

func withoutSign(x, sign uint64) uint64 { return x &^ sign }
func withOther(x, sign uint64) uint64   { return x ^ sign }

// extreme is min and max: a NaN counts only if both are, or with nan; -0 is less
// than +0.
func extreme(a, b float64, least, nan bool) float64 {
	switch {
	case a != a || b != b:
		if nan || a != a && b != b {
			return math.NaN()
		}
		if a != a {
			return b
		}
		return a
	case a == 0 && b == 0:
		if math.Signbit(a) == least {
			return a
		}
		return b
	case a < b == least:
		return a
	}
	return b
}

// A signRule is .xorsign.abs: the extremum of the absolute values, with the product of
// the signs.
type signRule bool

func (c *compiler) xorSign() signRule {
	if !c.has(".xorsign") {
		return false
	}
	if !c.has(".abs") {
		c.fail(".xorsign goes with .abs")
	}
	c.require(72, 86)
	return true
}

func (xor signRule) of(a, b float64, least, nan bool) float64 {
	if !xor {
		return extreme(a, b, least, nan)
	}
	v := extreme(math.Abs(a), math.Abs(b), least, nan)
	if math.Signbit(a) != math.Signbit(b) {
		return math.Copysign(v, -1)
	}
	return math.Copysign(v, 1)
}

func (c *compiler) floatExtremum(t typ, least bool) {
	if t.size == 8 {
		c.binary(t, t, t, func(x, y uint64) uint64 { return math.Float64bits(extreme(f64(x), f64(y), least, false)) })
		return
	}
	m := c.flushes(t)
	nan := c.has(".NaN")
	signs := c.xorSign()
	if len(c.in.args) == 4 { // three inputs, PTX 8.8
		c.ternary(t, t, t, t, func(x, y, z uint64) uint64 {
			v := signs.of(float64(m.in(x)), float64(m.in(y)), least, nan)
			return bits32(float32(signs.of(v, float64(m.in(z)), least, nan)))
		})
		return
	}
	c.binary(t, t, t, func(x, y uint64) uint64 {
		return bits32(float32(signs.of(float64(m.in(x)), float64(m.in(y)), least, nan)))
	})
}

// approximate makes an instruction that exists as .approx: for f32, for halves if half
// is set, and for f64 by gross, to the 20 upper bits of a mantissa, if it is not nil.
// The instruction also exists without .approx if exact32 or exact64 is not nil.
type approximate struct {
	f       func(float64) float64
	half    bool
	gross   bool
	exact32 func(float32, rounding) float32
	exact64 func(float64, rounding) float64
}

func (c *compiler) approx(a approximate) {
	approx := c.has(".approx")
	t := c.typ()
	switch {
	case a.half && t.half():
		if !approx {
			c.fail(".approx is missing")
		}
		c.halfApprox(t, a.f)
		return
	case a.gross, a.exact64 != nil:
		c.want(t, "f32 f64")
	default:
		c.want(t, "f32")
	}
	if !approx {
		if a.exact32 == nil {
			c.fail(".approx is missing")
		}
		c.rounded()
		if t.size == 8 && a.gross {
			c.take(".ftz") // is allowed, and says nothing
		}
		m := c.floatMode(t)
		c.float1(t, m, func(v float32) float32 { return a.exact32(v, m.round) }, func(v float64) float64 { return a.exact64(v, m.round) })
		return
	}
	if t.size == 8 {
		c.grossly(t, a)
		return
	}
	m := floatMode{ftz: c.in.op != "tanh" && c.has(".ftz")}
	c.float1(t, m, func(v float32) float32 { return float32(a.f(float64(v))) }, nil)
}

// grossly makes rcp and rsqrt of double precision. With .ftz only the upper words of
// operand and result count, and subnormal numbers are zero.
func (c *compiler) grossly(t typ, a approximate) {
	if !a.gross {
		c.fail("%v has no .approx", t)
	}
	ftz := c.has(".ftz")
	if !ftz && c.in.op == "rcp" {
		c.fail(".approx of %v goes with .ftz", t)
	}
	const upper = 0xffffffff << 32
	zero := func(x uint64) uint64 {
		if x&(2047<<52) == 0 {
			return x & (1 << 63)
		}
		return x
	}
	c.unary(t, t, func(x uint64) uint64 {
		if !ftz {
			return math.Float64bits(a.f(f64(x)))
		}
		if v := f64(x); v != v {
			return math.Float64bits(v) & upper
		}
		return zero(math.Float64bits(a.f(f64(zero(x&upper)))) & upper)
	})
}

func rcp32(v float32, r rounding) float32 { return div32(1, v, r) }
func rcp64(v float64, r rounding) float64 { return div64(1, v, r) }

func rsqrt(v float64) float64 {
	if v == 0 {
		return math.Copysign(math.Inf(1), v)
	}
	return 1 / math.Sqrt(v)
}

// copysign d, a, b: the sign of a, the rest of b.
func (c *compiler) copysign() {
	t := c.oneOf(floatTypes)
	sign := uint64(1) << (t.bits() - 1)
	c.binary(t, t, t, func(x, y uint64) uint64 { return x&sign | y&^sign })
}

func (c *compiler) testp() {
	op := c.take(".finite", ".infinite", ".number", ".notanumber", ".normal", ".subnormal")
	t := c.oneOf(floatTypes)
	c.arity(2, 2)
	man, all := 23, uint64(255)
	if t.size == 8 {
		man, all = 52, 2047
	}
	is := func(x, _ uint64) bool {
		e, m := x>>man&all, x&(1<<man-1)
		switch op {
		case ".finite":
			return e != all
		case ".infinite":
			return e == all && m == 0
		case ".number":
			return e != all || m == 0
		case ".notanumber":
			return e == all && m != 0
		case ".normal":
			return e != all && e != 0
		}
		return e == 0 && m != 0
	}
	if op == "" {
		c.fail("what is tested is missing: .finite, .infinite, .number, .notanumber, .normal or .subnormal")
	}
	s := c.src(1, t)
	c.ins.run = test(c.predDst(c.arg(0)), s, s, is, nil, -1)
}
