package check

import (
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// large reports whether operands of T are so large that products with sums are rounded.
// That is so for single precision, where results are to the bit and sums large.
func large[T, A, B dtype.Elem](p *FusedProblem[A, B]) bool {
	return p.wide && p.strict && dtype.Of[T]() == dtype.F32 && !sumsOfIntegers[A, B]()
}

// telling is an operand, if there is one, for which results that are to the bit tell how
// the operations of an epilogue round.
//
// Next to sums of floats it is large, or fine, so that sums with it are rounded too. Next to
// sums of integers, which are small, a factor is some sixths or less. Multiples of three take
// these close to halves, where the last bit of a product decides which integer is nearest. Or
// the factor is 2^-24, and an integer is so large that single precision does not have all of
// its size. The factor makes halves of it, and a unit more or less.
func telling[T, A, B dtype.Elem](p *FusedProblem[A, B]) (x T, ok bool) {
	exact := p.exact && p.wide && p.strict && sumsOfIntegers[A, B]()
	if !exact && !large[T](p) {
		return x, false
	}
	bits, _ := formatOf[T]()
	switch kind := p.rng.IntN(4); {
	case !exact:
		return toElem[T](math.Ldexp(float64(2*p.rng.IntN(1<<14)-(1<<14-1)), -kind*p.rng.IntN(6))), true
	case kind == 0 && dtype.Of[T]() == dtype.F32:
		return toElem[T](0x1p-24), true
	case kind == 0 && dtype.Of[T]() == dtype.I32:
		return toElem[T](float64((2*(32+p.rng.IntN(95))+1)<<23 + p.rng.IntN(256) - 128)), true
	case kind < 3 && bits > 0:
		return toElem[T](float64(2*p.rng.IntN(12)-11) / float64(int(6)<<p.rng.IntN(5))), true
	}
	return x, false
}
