package check

import "github.com/tilesmith/tilesmith/layout/triangle"

// squared makes a shape one that a structure can have.
func squared(s triangle.Structure, x Shape) Shape {
	if s.A != 0 {
		x.K = x.M
	}
	if s.Out != 0 {
		x.N = x.M
	}
	switch {
	case s.B != 0 && s.A != 0:
		x.N = x.K
	case s.B != 0:
		x.K = x.N
	}
	return x
}

// structured makes the operands what the structure says. The oracle has the matrices that they
// stand for, and elements outside the structure are NaN.
func (p *Problem) structured(s triangle.Structure) {
	if s == (triangle.Structure{}) {
		return
	}
	p.factors()
	p.absent = func(i, j int) bool { return !s.Out.Has(i, j) }
	maskTriangle(p.slots[A], s.A, s.Symmetric, func(i, k int) *float64 { return &p.rows[i*p.K+k] })
	maskTriangle(p.slots[B], s.B, true, func(k, j int) *float64 { return &p.cols[j*p.K+k] })
}

func maskTriangle(x *operand, t triangle.Triangle, symmetric bool, whole func(i, j int) *float64) {
	for i := range x.rows {
		for j := range x.cols {
			switch {
			case t.Has(i, j):
				continue
			case i == j:
				*whole(i, j) = 1
			case symmetric:
				*whole(i, j) = x.at(j, i)
			default:
				*whole(i, j) = 0
			}
			x.set(i, j, nan)
		}
	}
}
