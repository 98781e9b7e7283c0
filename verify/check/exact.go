package check

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// integers makes a problem of integers, whose sums are known to the bit. Those of int32 are, since
// they are int64's modulo 2^32 in any order. Those of floats are, since no order of summation rounds:
//
// Let alpha and beta be multiples of 1/den, entries of a and b at most r in
// magnitude, those of c at most r too. Take every product, and every partial sum of
// products in any order, with alpha applied to a, to b, to a partial sum or at the end,
// with or without c. Each is a multiple of 1/den of magnitude at most max|alpha|*k*r*r
// + max|beta|*r. With
//
//	den * (max|alpha|*k*r*r + max|beta|*r) <= 2^p,  p = 24 for float32, 53 for float64
//
// all of them are numbers of that type, so no operation rounds, fused or not. The
// result can differ in the sign of zero only. Entries are as large as that allows: the larger they
// are, the more a kernel that rounds its operands or its result shows.
func (op *gemm) integers(c *Case, s Shape) (*product, error) {
	den, err := denominator(op.alphas, op.betas)
	if err != nil {
		return nil, err
	}
	size := int64(math.MaxInt32)
	if bits, _ := numberFormat(c.Acc); bits > 0 {
		size = radius(float64(s.K), maxAbs(op.alphas), maxAbs(op.betas), float64(den), bits)
	}
	if size < 1 {
		return nil, fmt.Errorf("no exact test for k = %d in %v: even entries of 1 may round", s.K, c.Acc)
	}
	p := newProduct(s)
	rng := source(s, 1)
	for _, x := range []struct {
		t dtype.Type
		v []float64
	}{{c.A, p.a}, {c.B, p.b}, {c.Slots[0].Type, p.c}} {
		lo, hi := limitsOf(x.t, size)
		scatter(rng, x.v, max(lo, -size), min(hi, size))
	}
	return p, nil
}

// limitsOf are the least and the largest integer that operands of a type have in such a
// problem, if floats are to be at most r in magnitude.
func limitsOf(t dtype.Type, r int64) (lo, hi int64) {
	switch t {
	case dtype.I8:
		return math.MinInt8, math.MaxInt8
	case dtype.U8:
		return 0, math.MaxUint8
	case dtype.I16:
		return math.MinInt16, math.MaxInt16
	case dtype.I32:
		return math.MinInt32, math.MaxInt32
	}
	bits, _ := numberFormat(t)
	r = max(1, min(r, 1<<min(bits, 26)))
	return -r, r
}

// scatter fills dst with integers of lo..hi, the ends more often than others, and never
// zero. No product vanishes, so a dropped one cannot go unseen.
func scatter(rng *rand.Rand, dst []float64, lo, hi int64) {
	for i := range dst {
		var v int64
		switch x := rng.Uint64(); {
		case x%16 == 0:
			v = lo
		case x%16 == 1:
			v = hi
		default:
			v = lo + int64(x>>4%uint64(hi-lo+1))
		}
		if v == 0 {
			v = hi
		}
		dst[i] = float64(v)
	}
}

// radius returns the largest r with den*(alpha*k*r*r + beta*r) <= 2^p, at most
// 2^26 so that a product of integers stays far inside int64.
func radius(k, alpha, beta, den float64, p int) int64 {
	limit := math.Ldexp(1, p) / den
	fits := func(r float64) bool { return max(alpha, 1)*max(k, 1)*r*r+beta*r <= limit }
	r := math.Min(math.Floor(math.Sqrt(limit/(max(alpha, 1)*max(k, 1)))), 1<<26)
	for r >= 1 && !fits(r) {
		r--
	}
	return int64(r)
}

// denominator returns the smallest power of two that makes all scales integers.
func denominator(scales ...[]float64) (int64, error) {
	den := 1.0
	for _, s := range scales {
		for _, v := range s {
			for den < 1<<8 && v*den != math.Trunc(v*den) {
				den *= 2
			}
			if v*den != math.Trunc(v*den) || math.Abs(v) > 1<<8 {
				return 0, fmt.Errorf("scale %v is not a multiple of 1/256 of magnitude at most 256", v)
			}
		}
	}
	return int64(den), nil
}

func maxAbs(s []float64) float64 {
	m := 0.0
	for _, v := range s {
		m = max(m, math.Abs(v))
	}
	return m
}

// freivalds compares what a call left of a product of integers with random vectors, and says which element is wrong. old is what
// out held, and elements of out are multiples of 1/den.
func (c *Case) freivalds(p *Problem, old *operand, den float64) error {
	bits, _ := numberFormat(c.Acc)
	f := freivalds{
		a: p.slots[A], b: p.slots[B], old: old, out: p.slots[0], alpha: real(p.Alpha), beta: real(p.Beta),
		den: den, limit: math.Ldexp(1, cmp.Or(bits, 31)), wraps: c.Acc == dtype.I32,
	}
	i := f.wrong(source(Shape{p.M, p.N, p.K}, 2))
	if i < 0 {
		return nil
	}
	for j := range p.N {
		if err := c.same(p, i, j); err != nil {
			return err
		}
	}
	return fmt.Errorf("row %d: Freivalds' method and the plain loop disagree", i)
}
