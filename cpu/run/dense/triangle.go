package dense

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Triangle says which elements of a square matrix there are: those on one side of the
// diagonal, and the diagonal. Others are neither read nor written.
type Triangle uint8

// The triangles. A unit triangle has ones on its diagonal, which are not read.
const (
	Lower Triangle = iota + 1
	Upper
	UnitLower
	UnitUpper
)

func (t Triangle) String() string {
	switch t {
	case Lower, Upper, UnitLower, UnitUpper:
		return [...]string{"Lower", "Upper", "UnitLower", "UnitUpper"}[t-1]
	}
	return fmt.Sprintf("Triangle(%d)", uint8(t))
}

// T returns the triangle of the transposed matrix.
func (t Triangle) T() Triangle {
	return [...]Triangle{0, Upper, Lower, UnitUpper, UnitLower}[t]
}

func (t Triangle) lower() bool { return t == Lower || t == UnitLower }
func (t Triangle) unit() bool  { return t == UnitLower || t == UnitUpper }

// row returns which columns of row i there are, of n.
func (t Triangle) row(i, n int) mem.Extent {
	if t.lower() {
		return mem.Extent{From: 0, To: i + 1}
	}
	return mem.Extent{From: i, To: n}
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
func (t Triangle) has(i0, i1, j0, j1 int) share {
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
		panic(run.OptionError{What: name, Why: fmt.Sprintf("the triangle of %s is %v; want %s", what, t, want)})
	}
	if rows != cols {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf("%s is %d x %d; a matrix with a triangle is square", what, rows, cols)})
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
		if e := t.row(i, x.Cols); mem.Overlaps(x.Slice(i, i+1, e.From, e.To), *y) {
			return true
		}
	}
	return false
}
