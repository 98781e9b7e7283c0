// Package triangle says which elements of square matrices there are.
package triangle

// Triangle says which elements of a square matrix there are.
type Triangle uint8

// The triangles.
const (
	Lower Triangle = iota + 1
	Upper
	UnitLower
	UnitUpper
)

// Has reports whether there is an element; without a triangle there is every one. The ones of a
// unit triangle are not there.
func (t Triangle) Has(i, j int) bool {
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
