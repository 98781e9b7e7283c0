package format

import (
	"errors"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
)

// TestDeclared: what a format says of itself, or its axes do, is what matrices show: some
// have a mask, or an order of rows, if it says so, and none has if it does not.
func TestDeclared(t *testing.T) {
	for _, f := range formats {
		masked, ordered := false, false
		for _, p := range sparsetest.Patterns() {
			if p.N > 100 {
				continue
			}
			if x, err := Pack(p.Matrix(), f); err == nil {
				masked, ordered = masked || x.s.arrays.Mask != nil, ordered || x.s.arrays.Order != nil
			}
		}
		if masked != f.Masks() || ordered != f.Ordered {
			t.Errorf("%s: masked %v, ordered %v; it says %v and %v", f, masked, ordered, f.Masks(), f.Ordered)
		}
		if f.Masked {
			t.Errorf("%s: its axes say enough", f)
		}
		if have, want := f.Blocks(), strings.Contains(f.Name, "bsr"); have != want {
			t.Errorf("%s: blocks: %v, want %v", f, have, want)
		}
		if want := Loops(f.Axes, masked, ordered); f.Loops() != want {
			t.Errorf("%s: loops %q, want %q", f, f.Loops(), want)
		}
	}
}

// TestMasks: which axes leave room for slots that only a mask can say are empty.
func TestMasks(t *testing.T) {
	for _, c := range []struct {
		axes []Axis
		want bool
	}{
		{nil, false},
		{[]Axis{{Name: "i"}}, true},
		{[]Axis{{Name: "i"}, {Name: "j", Sparse: true}}, false},
		{[]Axis{{Name: "i"}, {Name: "j", Sparse: true, Parent: "i"}}, false},
		{[]Axis{{Name: "i"}, {Name: "d", Sparse: true}}, true}, // -1 is a diagonal
		{[]Axis{{Name: "i"}, {Name: "d", Variable: true, Sparse: true}}, false},
		{[]Axis{{Name: "j", Variable: true, Sparse: true}, {Name: "ii", Size: 1}}, false},
		{[]Axis{{Name: "j", Variable: true, Sparse: true}, {Name: "ii", Size: 2}}, true},
		{[]Axis{{Name: "j", Variable: true, Sparse: true}, {Name: "ii", Size: 2}, {Name: "ji", Size: 1}}, true},
		{[]Axis{{Name: "p", Variable: true}, {Name: "ii", Size: 1}, {Name: "j", Size: 1, Sparse: true, Parent: "p"}}, false},
		{[]Axis{{Name: "i", Size: 1}, {Name: "j", Size: 1}}, false},
	} {
		if have := (Format{Axes: c.axes}).Masks(); have != c.want {
			t.Errorf("%s: %v, want %v", Loops(c.axes, false, false), have, c.want)
		}
	}
}

// TestWrongDeclaration: To and Check refuse a format that says something else than its
// arrays show, also a copy of one of this package.
func TestWrongDeclaration(t *testing.T) {
	p := sparsetest.Where("", 3, 3, func(i, j int) bool { return i == j })
	sell := SELL(2, 2)
	sell.Ordered = false
	spoilt := func(f Format, spoil func(a *Arrays)) Format {
		build := f.Build
		f.Build = func(m, n int, in []sparse.Entry) (Arrays, error) {
			a, err := build(m, n, in)
			spoil(&a)
			return a, err
		}
		return f
	}
	ordered := CSR
	ordered.Ordered = true
	rows := spoilt(CSR, func(a *Arrays) { a.Order = []int32{0, 1, 2} })
	mask := spoilt(CSR, func(a *Arrays) { a.Mask = []uint64{0b111} })
	for what, c := range map[string]struct {
		f    Format
		want string // "": it is taken
	}{
		"rows are moved":             {sell, "sell2_2: it moves rows, and does not say so; set Ordered"},
		"rows stay, with an order":   {rows, "csr: it moves rows, and does not say so; set Ordered"},
		"rows are said to be moved":  {ordered, "csr: it says that it moves rows, and has no order of them; an Ordered format always has one"},
		"a mask":                     {mask, "csr: it has a mask, of which neither the format nor its axes say anything; set Masked"},
		"a mask that is said":        {masked(mask), ""},
		"a mask that is not there":   {masked(CSR), ""},
		"a mask that the axes allow": {Dense, ""},
	} {
		_, err := Pack(p.Matrix(), c.f)
		check := c.f.Check(p.M, p.N, p.In)
		for from, err := range map[string]error{"To": err, "Check": check} {
			switch {
			case c.want == "" && err != nil:
				t.Errorf("%s: %s says %v", what, from, err)
			case c.want != "" && (!errors.Is(err, sparse.ErrFormat) || !strings.HasPrefix(err.Error(), c.want)):
				t.Errorf("%s: %s says %v, want %s", what, from, err, c.want)
			}
		}
	}
	// Without rows there is nothing to move.
	if _, err := Pack(sparsetest.Where("", 0, 5, nil).Matrix(), ordered); err != nil {
		t.Error(err)
	}
	if f := masked(CSR); f.Loops() != "i j:vs mask" {
		t.Errorf("csr with a mask: %s", f.Loops())
	}
}

func masked(f Format) Format {
	f.Masked = true
	return f
}
