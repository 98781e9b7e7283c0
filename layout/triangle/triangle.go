// Package triangle says which elements of square matrices there are.
package triangle

import "fmt"

// A Triangle says which elements of a square matrix there are: those on one side of the
// diagonal, and the diagonal. Others are neither read nor written. 0 is no triangle: all of
// them.
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

// IsLower reports whether rows begin with column 0.
func (t Triangle) IsLower() bool { return t == Lower || t == UnitLower }

// IsUnit reports whether the diagonal is ones.
func (t Triangle) IsUnit() bool { return t == UnitLower || t == UnitUpper }

// Has reports whether element (i, j) is read; without a triangle every one is. The ones of a
// unit triangle are not.
func (t Triangle) Has(i, j int) bool {
	switch {
	case t == 0:
		return true
	case i == j:
		return !t.IsUnit()
	}
	return i > j == t.IsLower()
}

// Row returns which columns of row i of n there are: from up to but not including to. They
// include the diagonal, of ones too. Without a triangle it is all of them.
func (t Triangle) Row(i, n int) (from, to int) {
	switch {
	case t == 0:
		return 0, n
	case t.IsLower():
		return 0, i + 1
	}
	return i, n
}

// Structure says which elements there are of the operands and of the results of a product.
// Its zero value is all of them.
type Structure struct {
	A         Triangle // what is stored of a
	Symmetric bool     // the rest of a is what it mirrors; else it is zeros, with which nothing is multiplied
	Hermitian bool     // and its conjugate
	B         Triangle // what is stored of b, which is symmetric
	Out       Triangle // what is computed of each output: there the epilogue runs
}
