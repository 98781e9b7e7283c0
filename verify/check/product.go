package check

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/triangle"
)

// plain reports whether c is a product of one float type without an epilogue, whose sums have the narrowest bounds.
func (c *Case) plain() bool {
	return c.Op == nil && c.Results == nil && c.A == c.Acc && c.B == c.Acc && c.Slots[0].Type == c.Acc && c.Acc != dtype.I32 &&
		c.Arithmetic.Plus == nil && c.Zeros == nil && c.Structure == (triangle.Structure{}) && c.Blocks.LdB == 0
}

// integers fills the factors of a plain product with integers that are as large as exactness allows, in place: a
// copy of them would take more memory than the product.
func (p *Problem) integers() error {
	bits, _ := numberFormat(p.c.Acc)
	r := radius(float64(p.K), 1, 0, 1, bits)
	if r < 1 {
		return fmt.Errorf("no exact test for k = %d in %v: even entries of 1 may round", p.K, p.c.Acc)
	}
	one := make([]float64, 1)
	for _, slot := range []int{A, B} {
		o := p.slots[slot]
		for i := range o.elems.size() {
			scatter(p.rng, one, -r, r)
			o.store(i, one[0])
		}
	}
	return nil
}

// dot is the sum at (i, j), and how far from it that of a kernel may be. A product takes part in at most k roundings, in
// whatever order and blocks it is summed.
func (p *Problem) dot(i, j int) (acc, d float64) {
	x, y := make([]float64, p.K), make([]float64, p.K)
	a, b := p.slots[A], p.slots[B]
	a.read(x, i*a.rs, a.cs)
	b.read(y, j*b.cs, b.rs)
	var s sum
	compensated := p.c.Acc == dtype.F64
	for k := range x {
		s.add(x[k], y[k], compensated)
	}
	s.end(p.K, compensated)
	return s.acc, s.error(p.c.Acc, p.K, float64(p.K))
}

// sampleWork is how many multiply-adds the oracle of random numbers does at most.
const sampleWork = 1 << 22

// dots compares elements of a plain product, all or a sample.
func (c *Case) dots(p *Problem) error {
	all := p.M*p.N*p.K <= sampleWork
	n := p.M * p.N
	if !all {
		n = max(64, sampleWork/p.K)
	}
	return c.sample(p, n, all, func(p *Problem, i, j int) error {
		sum, d := p.dot(i, j)
		in := around(sum, d).rounded(c.Acc)
		if have := p.Load(0, i, j); !(in.lo <= have && have <= in.hi) {
			return &mismatch{i, j, have, sum, fmt.Sprintf(" within %v", in)}
		}
		return nil
	})
}

// TimedProduct makes a product of the shape ready. A transposed operand is stored as the rows
// of its transpose.
//
// A plain product must be right bit for bit, by Freivalds' method, and elements within the
// error of k roundings. Of others elements are compared with the epilogue's function.
func (c *Case) TimedProduct(s Shape, transA, transB bool) *Timed {
	s = squared(c.Structure, s)
	of := func(exact bool) *Problem {
		p := c.operands(c.problem(s, 87, exact), transA, transB)
		n := min(s.M*s.N, max(500, trialWork/8/(s.K+1000))) // the function is called some twenty times
		p.look = func() error { return c.sample(p, n, n == s.M*s.N, c.element) }
		p.macs = s.MACs()
		return p
	}
	p := of(false)
	if !c.plain() {
		return c.ready(p, func() (*Problem, error) { return of(true), nil }, func() (*Problem, error) { return p, nil })
	}
	return c.ready(p, func() (*Problem, error) {
		p.look = func() error {
			p.Alpha, p.rows, p.cols = 1, nil, nil // which may be those of other numbers
			return c.freivalds(p, nil, 1)
		}
		return p, p.integers()
	}, func() (*Problem, error) {
		p.look = func() error { return c.dots(p) }
		for _, slot := range []int{A, B} {
			o := p.slots[slot]
			for i := range o.elems.size() {
				o.store(i, p.rng.NormFloat64())
			}
		}
		return p, nil
	})
}
