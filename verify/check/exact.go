package check

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A problem is one product before it is laid out: dense, row-major operands.
type problem[T dtype.Float] struct {
	Shape
	a, b, c []T
}

func newProblem[T dtype.Float](s Shape) *problem[T] {
	return &problem[T]{s, make([]T, s.M*s.K), make([]T, s.K*s.N), make([]T, s.M*s.N)}
}

// integers is a problem for Oracle 1: every value is an integer (times unit), and
// so small that no order of summation rounds.
//
// Let alpha and beta be multiples of 1/den, entries of a and b at most r in
// magnitude, those of c at most r too. Take every product, and every partial sum of
// products in any order, with alpha applied to a, to b, to a partial sum or at the end,
// with or without c. Each is a multiple of 1/den of magnitude at most max|alpha|*k*r*r
// + max|beta|*r. With
//
//	den * (max|alpha|*k*r*r + max|beta|*r) <= 2^p,  p = 24 for float32, 53 for float64
//
// all of them are numbers of type T, so no operation rounds, fused or not. The
// result can differ in the sign of zero only.
type integers[T dtype.Float] struct {
	problem[T]
	ai, bi, ci []int64
	acc        []int64 // a*b; nil if Freivalds' method stands in for it
	den        int64
	unit       T
}

// newIntegers returns a problem with entries as large as exactness allows, but at
// most limit if that is above 0. The larger they are, the more a kernel that rounds its
// operands or its result shows.
func newIntegers[T dtype.Float](s Shape, alphas, betas []float64, unit T, limit int64, full bool) (*integers[T], error) {
	den, err := denominator(alphas, betas)
	if err != nil {
		return nil, err
	}
	r := radius(float64(s.K), maxAbs(alphas), maxAbs(betas), float64(den), precision[T]())
	if limit > 0 {
		r = min(r, limit)
	}
	if r < 1 {
		return nil, fmt.Errorf("no exact test for k = %d in %v: even entries of 1 may round", s.K, dtype.Of[T]())
	}
	p := &integers[T]{
		problem: *newProblem[T](s),
		ai:      make([]int64, s.M*s.K), bi: make([]int64, s.K*s.N), ci: make([]int64, s.M*s.N),
		den: den, unit: unit,
	}
	rng := source(s, 1)
	nonzero(rng, p.ai, r)
	nonzero(rng, p.bi, r)
	nonzero(rng, p.ci, r)
	for i, v := range p.ai {
		p.a[i] = T(v) * unit
	}
	for i, v := range p.bi {
		p.b[i] = T(v)
	}
	for i, v := range p.ci {
		p.c[i] = T(v) * unit
	}
	if full {
		p.multiply()
	}
	return p, nil
}

// multiply sets acc by the plain loop.
func (p *integers[T]) multiply() {
	p.acc = make([]int64, p.M*p.N)
	for i := range p.M {
		row := p.acc[i*p.N:][:p.N]
		for l, x := range p.ai[i*p.K:][:p.K] {
			for j, y := range p.bi[l*p.N:][:p.N] {
				row[j] += x * y
			}
		}
	}
}

// mismatch is one wrong element.
type mismatch struct {
	i, j       int
	have, want float64
	why        string // a bound or a class, or empty
}

func (m *mismatch) Error() string {
	return fmt.Sprintf("element (%d, %d): have %v, want %v%s", m.i, m.j, m.have, m.want, m.why)
}

// compare checks the dense row-major have = alpha*a*b + beta*c bit for bit, but
// for the sign of zero.
func (p *integers[T]) compare(have []T, alpha, beta float64) error {
	if p.acc == nil {
		return p.freivalds(have, alpha, beta, 4)
	}
	al, be, inv := int64(alpha*float64(p.den)), int64(beta*float64(p.den)), 1/float64(p.den)
	for e, x := range have {
		if want := T(float64(al*p.acc[e]+be*p.ci[e])*inv) * p.unit; x != want {
			return &mismatch{e / p.N, e % p.N, float64(x), float64(want), ""}
		}
	}
	return nil
}

// precision is the number of significant bits of T.
func precision[T dtype.Float]() int {
	if dtype.Of[T]() == dtype.F32 {
		return 24
	}
	return 53
}

// smallest returns the smallest positive number of T.
func smallest[T dtype.Float]() float64 {
	if dtype.Of[T]() == dtype.F32 {
		return math.SmallestNonzeroFloat32
	}
	return math.SmallestNonzeroFloat64
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
