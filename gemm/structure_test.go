package gemm

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TestStructureRefused: what no kernel computes is refused with what would be right.
func TestStructureRefused(t *testing.T) {
	base := func(s Structure) Description {
		return Description{Name: "X", A: dtype.F32, B: dtype.F32, Acc: dtype.F32, Out: dtype.F32, Structure: s}
	}
	with := func(d Description, f func(*Description)) Description { f(&d); return d }
	for _, c := range []struct {
		d    Description
		want string // "": it is none of these
	}{
		{base(Structure{A: UnitUpper, B: Symmetric(Lower), Out: Upper}), ""},
		{base(Structure{A: Symmetric(Upper)}), ""},
		{base(Structure{A: Symmetric(UnitLower)}), "Structure.A is Form(255); want Lower"},
		{base(Structure{B: Lower}), "a triangular matrix is the left one: give it to A"},
		{base(Structure{Out: UnitLower}), "Structure.Out is UnitLower; want Lower or Upper"},
		{base(Structure{Out: Symmetric(Lower)}), "Structure.Out is Symmetric(Lower); want Lower or Upper"},
		{with(base(Structure{A: Lower}), func(d *Description) { d.B = dtype.TypeBF16 }), "float32 or float64 throughout"},
		{with(base(Structure{A: Lower}), func(d *Description) { d.Shape.M = 8 }), "leave out Shape"},
		{with(base(Structure{A: Lower}), func(d *Description) { d.Grouped = true }), "not of groups"},
	} {
		err := c.d.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.d.Structure, err, c.want)
		}
	}
}
