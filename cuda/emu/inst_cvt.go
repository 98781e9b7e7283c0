package emu

import "math"

// cvt (ISA 9.7.9.22).

// A cvtMode is what the modifiers of a cvt say.
type cvtMode struct {
	round     rounding
	integer   bool // .rni and its like: to an integer
	none      bool // no rounding is written
	ftz, sat  bool
	satfinite bool
	relu      bool
}

func (c *compiler) cvt() {
	if c.has(".pack") {
		c.cvtPackInts()
		return
	}
	r := c.take(".rn", ".rz", ".rm", ".rp", ".rni", ".rzi", ".rmi", ".rpi", ".rna")
	m := cvtMode{round: roundings[r], integer: len(r) == 4 && r[3] == 'i', none: r == "",
		ftz: c.has(".ftz"), sat: c.has(".sat"), satfinite: c.has(".satfinite"), relu: c.has(".relu")}
	d, a := c.typ(), c.typ()
	switch {
	case m.round == roundAway && d.name != "tf32":
		c.fail(".rna is for .tf32")
	case d.is("f16x2", "bf16x2", "e4m3x2", "e5m2x2") && a.name == "f32":
		c.cvtPack(d, m, r)
	case d.name == "f16x2" && a.is("e4m3x2", "e5m2x2"), d.is("e4m3x2", "e5m2x2") && a.name == "f16x2":
		c.cvtPair(d, a, m, r)
	case d.name == "tf32" && a.name == "f32":
		// The 19 bits of the format are the upper ones of the register.
		if m.none || m.integer || r == ".rm" || r == ".rp" {
			c.fail("a rounding is missing: .rn, .rz or .rna")
		}
		if m.relu && r == ".rna" || m.ftz || m.sat {
			c.fail("a modifier is not for .tf32")
		}
		if m.satfinite && r != ".rna" {
			c.require(86, 100)
		}
		c.unary(types["b32"], a, func(x uint64) uint64 {
			return formats["tf32"].encode(m.clip(float64(f32(x))), m.round, m.satfinite) << 13
		})
	default:
		c.cvtScalar(d, a, m)
	}
}

// clip is .relu: negative numbers become 0. NaN stays.
func (m cvtMode) clip(v float64) float64 {
	if m.relu && v < 0 {
		return 0
	}
	return v
}

// cvtPack makes two narrow floats of two operands: the first is the upper one.
func (c *compiler) cvtPack(d typ, m cvtMode, r string) {
	if r != ".rn" && (r != ".rz" || d.size == 2) {
		c.fail("a rounding is missing: .rn")
	}
	if d.size == 2 && !m.satfinite {
		c.fail(".satfinite is missing")
	}
	if m.ftz || m.sat {
		c.fail(".ftz and .sat are not for %v", d)
	}
	f := formats[d.name[:len(d.name)-2]]
	in := types["f32"]
	n := f.bits()
	c.binary(bitsOf(d.size), in, in, func(x, y uint64) uint64 {
		hi := f.encode(m.clip(float64(f32(x))), m.round, m.satfinite)
		lo := f.encode(m.clip(float64(f32(y))), m.round, m.satfinite)
		return hi<<n | lo
	})
}

// cvtPair converts between pairs of f16 and pairs of 8-bit floats.
func (c *compiler) cvtPair(d, a typ, m cvtMode, r string) {
	if r != ".rn" {
		c.fail("a rounding is missing: .rn")
	}
	if narrow := d.size == 2; narrow != m.satfinite {
		c.fail(".satfinite is for 8-bit floats, and they need it")
	}
	if m.ftz || m.sat {
		c.fail(".ftz and .sat are not for %v", d)
	}
	to, from := formats[d.name[:len(d.name)-2]], formats[a.name[:len(a.name)-2]]
	c.unary(bitsOf(d.size), bitsOf(a.size), func(x uint64) uint64 {
		lo := to.encode(m.clip(from.decode(x&(1<<from.bits()-1))), m.round, m.satfinite)
		hi := to.encode(m.clip(from.decode(x>>from.bits())), m.round, m.satfinite)
		return hi<<to.bits() | lo
	})
}

// isFloat says whether cvt takes t for a float: bf16 has a class of its own.
func isFloat(t typ) bool { return t.is("f16", "bf16", "f32", "f64") }

// converts refuses what cvt has no rule for (ISA 9.7.9.22): a rounding that is missing
// or has nothing to round, and modifiers that a pair of types does not have.
func (c *compiler) converts(d, a typ, m cvtMode) {
	df, af := isFloat(d), isFloat(a)
	brain := d.name == "bf16" || a.name == "bf16"
	same := d.name == a.name
	// Neither of the half floats f16 and bf16 holds the other, and cvt takes both ways.
	halves := df && af && d.size == 2 && a.size == 2
	narrows := df && (!af || d.size < a.size)
	switch {
	case df && !af && (m.none || m.integer), df && af && narrows && (m.none || m.integer):
		c.fail("a rounding such as .rn is missing")
	case !df && af && !m.integer:
		c.fail("an integer rounding such as .rzi is missing")
	case !df && !af && !m.none:
		c.fail("nothing is rounded between integers")
	case df && af && m.integer && !same:
		c.fail("an integer rounding is for equal types")
	case df && af && !narrows && !m.none && !m.integer && !(a.name == "bf16" && !same) && !(halves && !same):
		c.fail("nothing is rounded from %v to %v", a, d)
	case brain && d.size*a.size == 2 && !(df && af):
		c.fail("%v to %v is no conversion", a, d)
	case m.sat && (brain || !df && !af && within(a, d)):
		c.fail("%v to %v is not clamped", a, d)
	case m.ftz && d.name != "f32" && a.name != "f32":
		c.fail(".ftz is for .f32")
	case (m.relu || m.satfinite) && !(a.name == "f32" && d.size == 2 && df):
		c.fail("a modifier is not for %v to %v", a, d)
	}
}

// within reports whether every integer of type a is one of type d.
func within(a, d typ) bool {
	if a.signed() == d.signed() {
		return a.size <= d.size
	}
	return d.signed() && a.size < d.size
}

func (c *compiler) cvtScalar(d, a typ, m cvtMode) {
	c.arity(2, 2)
	if !isFloat(d) && !d.integer() || !isFloat(a) && !a.integer() {
		c.fail("%v to %v is no conversion", a, d)
	}
	df, af := isFloat(d), isFloat(a)
	c.converts(d, a, m)
	// Registers may be larger than the types: integers are extended to them.
	da, aa := c.arg(0), c.arg(1)
	dst := c.dest(da, d, true)
	size := c.regSize(da, d)
	src := c.sourceAs(aa, a, true)
	ext := func(x uint64) uint64 {
		if d.signed() {
			x = uint64(signExtend(x, d.size))
		}
		return x & maskOf(size)
	}
	read := readFloat(a, m.ftz)
	mask := maskOf(a.size)
	var f func(x uint64) uint64
	switch {
	case !df && !af:
		f = func(x uint64) uint64 { return ext(convertInt(x&mask, a, d, m.sat)) }
	case df && !af:
		f = func(x uint64) uint64 { return fromInt(x&mask, a, d, m) }
	case !df:
		// The result for NaN depends on the types.
		nan := uint64(0)
		if a.size == 8 || d.size == 8 {
			nan = 1 << (d.bits() - 1)
		}
		f = func(x uint64) uint64 {
			return ext(toInt(read(x&mask), m.round, d.bits(), d.signed(), nan))
		}
	default:
		f = func(x uint64) uint64 { return m.floats(read(x&mask), d, a) }
	}
	c.ins.run = lanes1(dst, src, f)
}

// readFloat returns how a float of type t is read.
func readFloat(t typ, ftz bool) func(x uint64) float64 {
	switch t.name {
	case "f64":
		return f64
	case "f32":
		return func(x uint64) float64 { return float64(floatMode{ftz: ftz}.in(x)) }
	case "f16", "bf16":
		return formats[t.name].decode
	}
	return nil
}

// floats finishes a conversion from float to float.
func (m cvtMode) floats(v float64, d, a typ) uint64 {
	if m.integer && finite(v) {
		v = math.Copysign(m.round.integer(v), v)
	}
	if m.sat {
		if v != v {
			v = 0
		}
		v = min(max(v, 0), 1)
	}
	v = m.clip(v)
	round := m.round
	if m.integer {
		round = roundNear // nothing is left to round
	}
	switch d.name {
	case "f64":
		return math.Float64bits(v)
	case "f32":
		r := narrow(v, round)
		if m.ftz {
			r = flush32(r)
		}
		return bits32(r)
	}
	return formats[d.name].encode(v, round, m.satfinite)
}

// convertInt converts between integers: cut off, or clamped with sat.
func convertInt(x uint64, a, d typ, sat bool) uint64 {
	if !sat {
		if a.signed() {
			x = uint64(signExtend(x, a.size))
		}
		return x & maskOf(d.size)
	}
	mask := maskOf(d.size)
	if a.signed() {
		v := signExtend(x, a.size)
		if d.signed() {
			return uint64(min(max(v, -int64(mask>>1)-1), int64(mask>>1))) & mask
		}
		return min(uint64(max(v, 0)), mask)
	}
	if d.signed() {
		return min(x, mask>>1)
	}
	return min(x, mask)
}

// fromInt converts an integer to a float, rounded once.
func fromInt(x uint64, a, d typ, m cvtMode) uint64 {
	var v float64
	var low float64 // what the nearest double of the integer leaves out
	if a.signed() {
		i := signExtend(x, a.size)
		hi := i &^ 0x7ff
		v, low = float64(hi), float64(i-hi)
	} else {
		hi := x &^ 0x7ff
		v, low = float64(hi), float64(x-hi)
	}
	if d.name == "f64" {
		return math.Float64bits(add64(v, low, m.round))
	}
	s := v + low
	if low != 0 {
		s = addOdd(v, low)
	}
	if m.sat {
		s = min(max(s, 0), 1)
	}
	if d.name == "f32" {
		return bits32(narrow(s, m.round))
	}
	return formats[d.name].encode(s, m.round, m.satfinite)
}
