package check

import (
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// smallNormalOf is the smallest normal number of a type.
func smallNormalOf(t dtype.Type) float64 {
	bits, least := numberFormat(t)
	return math.Ldexp(1, least+bits-1)
}

// floats reports whether t has NaN and infinities.
func floats(t dtype.Type) bool {
	bits, _ := numberFormat(t)
	return bits > 0 && t != dtype.TypeF8E4M3
}

// denormal reports whether x is a denormal number of t.
func denormal(t dtype.Type, x float64) bool {
	bits, _ := numberFormat(t)
	return bits > 0 && x != 0 && math.Abs(x) < smallNormalOf(t)
}

// specials returns small integers in which NaN, infinities and zeros
// are planted. Most are in the last rows, columns and k, where kernels pad, mask and
// shift. What is read but not part of a sum, such as what follows a row whose k is odd, shows as well:
// around operands there are NaNs.
//
// The plain IEEE loop multiplies every pair, so that 0*Inf is NaN. (gonum's Dgemm skips zeros of a and has 0 there.)
func specials(c *Case, s Shape, variant int) *product {
	rng := source(s, uint64(100+variant))
	p, out := newProduct(s), c.Slots[0].Type
	for _, x := range []struct {
		m []float64
		t dtype.Type
	}{{p.a, c.A}, {p.b, c.B}, {p.c, out}} {
		for i := range x.m {
			x.m[i] = roundTo(x.t, float64(1+rng.IntN(4))*float64(1-2*rng.IntN(2)))
		}
	}
	values := []float64{inf, nan, -inf, 0, inf, -inf}
	plant := func(m []float64, t dtype.Type, cols, n int) {
		if len(m) == 0 || !floats(t) {
			return
		}
		m[rng.IntN(len(m))] = 0 // may meet an infinity
		for q := range n {
			v := values[(variant+q)%len(values)]
			switch q % 3 {
			case 0:
				m[len(m)-1-rng.IntN(cols)] = v // last row
			case 1:
				m[rng.IntN(len(m)/cols)*cols+cols-1] = v // last column
			default:
				m[rng.IntN(len(m))] = v
			}
		}
	}
	switch variant % 4 {
	case 0:
		plant(p.a, c.A, s.K, 3)
	case 1:
		plant(p.b, c.B, s.N, 3)
	case 2:
		plant(p.a, c.A, s.K, 2)
		plant(p.b, c.B, s.N, 2)
	default:
		plant(p.b, c.B, s.N, 1)
		plant(p.c, out, s.N, 5)
	}
	return p
}

// tiny are small integers in units of the smallest numbers, where everything is just
// as exact. A kernel that flushes denormals has zeros instead.
func (op *gemm) tiny(c *Case, s Shape, unit [2]float64) *product {
	p := newProduct(s)
	rng := source(s, 5)
	lo := int64(-15)
	if op.stored {
		lo = 1
	}
	hi := max(7, -lo)
	scatter(rng, p.a, lo, hi)
	scatter(rng, p.b, lo, hi)
	scatter(rng, p.c, lo, hi)
	for i := range p.a {
		p.a[i] = roundTo(c.A, p.a[i]*unit[0])
	}
	for i := range p.b {
		p.b[i] = roundTo(c.B, p.b[i]*unit[1])
	}
	for i := range p.c {
		p.c[i] *= unit[0] * unit[1]
	}
	p.flushed = c.Flushes && // all products of few small integers are
		(denormal(c.A, 7*unit[0]) || denormal(c.B, 7*unit[1]) || denormal(c.Acc, 1<<11*unit[0]*unit[1]))
	return p
}

// units are those of operands that are denormal: of a, of b, and of both where sums are
// and operands are well above that.
func (op *gemm) units(c *Case) (units [][2]float64) {
	bitsA, leastA := numberFormat(c.A)
	bitsB, leastB := numberFormat(c.B)
	if bitsA > 0 {
		units = append(units, [2]float64{math.Ldexp(1, leastA), 1})
	}
	if bitsB > 0 && op.stored {
		units = append(units, [2]float64{1, math.Ldexp(1, leastB)})
	}
	if c.Acc == dtype.F32 && leastA <= -133 && leastB <= -133 && op.stored {
		units = append(units, [2]float64{0x1p-70, 0x1p-70})
	}
	return units
}
