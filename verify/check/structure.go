package check

import (
	"math"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Triangle says which elements of a square matrix there are, as the run time's of this name.
type Triangle uint8

// The triangles.
const (
	Lower Triangle = iota + 1
	Upper
	UnitLower
	UnitUpper
)

// has reports whether there is an element; without a triangle there is every one. The ones of a
// unit triangle are not there.
func (t Triangle) has(i, j int) bool {
	switch t {
	case Lower:
		return i >= j
	case Upper:
		return i <= j
	case UnitLower:
		return i > j
	case UnitUpper:
		return i < j
	}
	return true
}

// Structure says which elements the operands and the results of a product have. a has those of a
// triangle, with the rest mirrored or zeros; b may be symmetric; Out is for all outputs.
type Structure struct {
	A         Triangle
	Symmetric bool
	B, Out    Triangle
}

// square makes a shape one that the structure can have.
func (s Structure) square(x Shape) Shape {
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
func structured[A, B dtype.Elem](p *FusedProblem[A, B], s Structure) {
	if s == (Structure{}) {
		return
	}
	p.factors()
	p.absent = func(i, j int) bool { return !s.Out.has(i, j) }
	maskTriangle(p.A, s.A, s.Symmetric, func(i, k int) *float64 { return &p.rows[i*p.K+k] })
	maskTriangle(p.B, s.B, true, func(k, j int) *float64 { return &p.cols[j*p.K+k] })
}

func maskTriangle[T dtype.Elem](x layout.Matrix[T], t Triangle, symmetric bool, whole func(i, j int) *float64) {
	for i := range x.Rows {
		for j := range x.Cols {
			switch {
			case t.has(i, j):
				continue
			case i == j:
				*whole(i, j) = 1
			case symmetric:
				*whole(i, j) = Float64(x.At(j, i))
			default:
				*whole(i, j) = 0
			}
			x.Set(i, j, toElem[T](math.NaN()))
		}
	}
}
