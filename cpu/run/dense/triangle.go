package dense

import (
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/triangle"
)

// Triangle says which elements of a square matrix there are.
type Triangle = triangle.Triangle

// The triangles.
const (
	Lower     = triangle.Lower
	Upper     = triangle.Upper
	UnitLower = triangle.UnitLower
	UnitUpper = triangle.UnitUpper
)

// existing returns which columns of row i of triangle t there are, of n.
func existing(t Triangle, i, n int) mem.Extent {
	from, to := t.Row(i, n)
	return mem.Extent{From: from, To: to}
}

// How much of a tile lies in a triangle.
type share uint8

const (
	none share = iota
	some
	all
)

// has says how much of rows i0 <= i < i1, columns j0 <= j < j1 exists. Products visit
// tiles by this rule. Without a triangle there is everything.
func has(t Triangle, i0, i1, j0, j1 int) share {
	if t == Upper {
		i0, i1, j0, j1 = j0, j1, i0, i1
	}
	switch {
	case t == 0 || i0 >= j1-1:
		return all
	case i1 <= j0:
		return none
	}
	return some
}

// checkTriangle panics if t is not a triangle of a matrix of these sides, or has a diagonal
// of ones where none may have one.
func checkTriangle(name, what string, t Triangle, rows, cols int, unit bool) {
	most, want := Upper, "Lower or Upper"
	if unit {
		most, want = UnitUpper, "Lower, Upper, UnitLower or UnitUpper"
	}
	if t < Lower || t > most {
		check.Call(name).RefuseOption("the triangle of %s is %v; want %s", what, t, want)
	}
	if rows != cols {
		check.Call(name).Refuse("%s is %d x %d; a matrix with a triangle is square", what, rows, cols)
	}
}

// touches reports whether an element of triangle t of x, or of all of it, may be one of y.
func touches[X, Y dtype.Elem](t Triangle, x *layout.Matrix[X], y *layout.Matrix[Y]) bool {
	if !mem.Touch(x.Data, y.Data) || !mem.Overlaps(*x, *y) {
		return false
	}
	if t == 0 {
		return true
	}
	for i := range x.Rows {
		if e := existing(t, i, x.Cols); mem.Overlaps(x.Slice(i, i+1, e.From, e.To), *y) {
			return true
		}
	}
	return false
}
