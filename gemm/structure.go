package gemm

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Form says which elements of a matrix there are.
type Form uint8

// The forms. The diagonal of a unit triangle is ones, which are not read.
const (
	General   Form = iota // all of them
	Lower                 // on and below the diagonal; the rest is zeros
	Upper                 // on and above
	UnitLower             // below
	UnitUpper             // above
	symmetricLower
	symmetricUpper
)

// Symmetric is the form of a symmetric matrix that stores one triangle, [Lower] or [Upper].
// For any other form it is none, which [Structure] refuses.
func Symmetric(stored Form) Form {
	switch stored {
	case Lower:
		return symmetricLower
	case Upper:
		return symmetricUpper
	}
	return 0xff
}

func (f Form) String() string {
	names := [...]string{"General", "Lower", "Upper", "UnitLower", "UnitUpper", "Symmetric(Lower)", "Symmetric(Upper)"}
	if int(f) < len(names) {
		return names[f]
	}
	return fmt.Sprintf("Form(%d)", uint8(f))
}

// Stored is the triangle that is read of a matrix of this form, and whether the rest of
// it is what that mirrors.
func (f Form) Stored() (triangle Form, symmetric bool) {
	switch f {
	case symmetricLower:
		return Lower, true
	case symmetricUpper:
		return Upper, true
	}
	return f, false
}

// Structure is the forms of a product's matrices: those that are not [General] are square. Elements
// outside the structure are neither read, written nor multiplied, so NaN and Inf there do not
// matter. Tiles are multiplied and stored only if they have an element inside it.
//
// Out may be Lower or Upper: the epilogue runs, and every output is written, on that triangle
// only. A may have any form, B may be symmetric. For a triangular B compute the transpose, outᵀ =
// Bᵀ*Aᵀ, which has the triangle on the left. Call a spec whose A is the other triangle with the
// views out.T(), b.T() and a.T().
type Structure struct{ A, B, Out Form }

// check refuses what no kernel computes.
func (d Description) checkStructure() error {
	s := d.Structure
	if s == (Structure{}) {
		return nil
	}
	for _, f := range []struct {
		what string
		have Form
		most Form
		want string
	}{
		{"A", s.A, symmetricUpper, "Lower, Upper, UnitLower, UnitUpper, Symmetric(Lower) or Symmetric(Upper)"},
		{"B", s.B, symmetricUpper, "Symmetric(Lower) or Symmetric(Upper)"},
		{"Out", s.Out, Upper, "Lower or Upper"},
	} {
		_, symmetric := f.have.Stored()
		switch {
		case f.what == "B" && f.have >= Lower && f.have <= UnitUpper:
			return fmt.Errorf("Structure.B is %v; a triangular matrix is the left one: give it to A of a spec that is called with the transposes, out.T(), b.T() and a.T()", f.have)
		case f.have > f.most || f.what == "Out" && symmetric:
			return fmt.Errorf("Structure.%s is %v; want %s, or nothing", f.what, f.have, f.want)
		}
	}
	if d.A != d.Acc || d.B != d.Acc || d.Acc != dtype.F32 && d.Acc != dtype.F64 {
		return fmt.Errorf("a structured product is of float32 or float64 throughout, this one of %v and %v with sums of %v; leave Structure out, or convert the operands before", d.A, d.B, d.Acc)
	}
	switch {
	case d.Operator != nil && d.Operator != Operator(FMA{}):
		return fmt.Errorf("a structured product is a sum of products, this one has the operator %v; leave Structure out", d.Operator)
	case d.Shape != (Shape{}):
		return fmt.Errorf("a structured product has its shape from a call; leave out Shape %v", d.Shape)
	case d.Fusion != nil && len(d.Fusion.Reduces) > 0 && s.Out != General:
		return fmt.Errorf("reduction %s: a triangle of a result has no whole rows and columns; reduce the stored result, or leave Structure.Out out", d.Fusion.Reduces[0].Name)
	case d.Grouped || d.Sparse != 0:
		return fmt.Errorf("a structured product is not of groups, and its A is not 2:4 sparse; leave out Grouped and Sparse")
	}
	return nil
}
