package check

import (
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// draws makes elements of an operand, before they are rounded. For sums of integers no size is a risk, so
// integers are of all sizes. Factors are such that some results are in the range of a
// narrow type and some are not.
func (p *Problem) draws(t dtype.Type) func() float64 {
	lo, hi := limitsOf(t, 1)
	bits, _ := numberFormat(t)
	rng, integers := p.rng, p.c.integers()
	switch {
	case p.exact && bits > 0 && integers: // products end at halves
		return func() float64 { return math.Ldexp(float64(rng.IntN(7)-3), -rng.IntN(4)) }
	case p.exact && p.wide && lo != 0:
		return func() float64 { return float64(rng.IntN(49) - 24) }
	case p.exact && p.wide: // whose upper half has a sign if they are taken for signed ones
		return func() float64 { return float64(1 + rng.IntN(int(min(hi, 255)))) }
	case p.exact && lo == 0: // no sign
		return func() float64 { return float64(1 + rng.IntN(6)) }
	case p.exact:
		return func() float64 { return float64(rng.IntN(7) - 3) }
	case !integers:
		return rng.NormFloat64
	case bits > 0:
		return func() float64 { return math.Ldexp(rng.NormFloat64(), -rng.IntN(16)) }
	case t == dtype.I32:
		return func() float64 { return math.Ldexp(rng.NormFloat64(), rng.IntN(20)) }
	}
	return func() float64 {
		one := make([]float64, 1)
		scatter(rng, one, lo, hi)
		return one[0]
	}
}

// integers reports whether products of A and B have sums of int32.
func (c *Case) integers() bool {
	a, _ := numberFormat(c.A)
	b, _ := numberFormat(c.B)
	return a == 0 && b == 0
}

// large reports whether operands of a type are so large that products with sums are rounded.
// That is so for single precision, where results are to the bit and sums large.
func (p *Problem) large(t dtype.Type) bool {
	return p.wide && p.strict && t == dtype.F32 && !p.c.integers()
}

// telling makes some elements of an operand of an epilogue such that results that are to the bit
// tell how its operations round.
//
// Next to sums of floats an element is large, or fine, so that sums with it are rounded too. Next to
// sums of integers, which are small, a factor is some sixths or less. Multiples of three take
// these close to halves, where the last bit of a product decides which integer is nearest. Or
// the factor is 2^-24, and an integer is so large that single precision does not have all of
// its size. The factor makes halves of it, and a unit more or less.
func (p *Problem) telling(o *operand) *operand {
	exact := p.exact && p.wide && p.strict && p.c.integers()
	if !exact && !p.large(o.typ) {
		return o
	}
	bits, _ := numberFormat(o.typ)
	for i := range o.elems.size() {
		switch kind := p.rng.IntN(4); {
		case !exact:
			o.store(i, math.Ldexp(float64(2*p.rng.IntN(1<<14)-(1<<14-1)), -kind*p.rng.IntN(6)))
		case kind == 0 && o.typ == dtype.F32:
			o.store(i, 0x1p-24)
		case kind == 0 && o.typ == dtype.I32:
			o.store(i, float64((2*(32+p.rng.IntN(95))+1)<<23+p.rng.IntN(256)-128))
		case kind < 3 && bits > 0:
			o.store(i, float64(2*p.rng.IntN(12)-11)/float64(int(6)<<p.rng.IntN(5)))
		}
	}
	return o
}

// scalar is an operand with one element, or one for each head.
func (p *Problem) scalar(t dtype.Type, n int) *operand {
	o := p.memory(t, 1, n, n, 1)
	for i := range n {
		if p.large(t) {
			o.store(i, float64(2*p.rng.IntN(1<<23)-(1<<23-1)))
			continue
		}
		o.store(i, p.draws(t)())
	}
	return o
}
