package layout_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
)

// TestCompatible: exactly if every coordinate of one shape is one of the other and
// the sizes are the same.
func TestCompatible(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"24", "(4,6)", true}, {"(4,6)", "24", false}, {"(4,6)", "((2,2),6)", true}, {"((2,2),6)", "(4,6)", false},
		{"24", "24", true}, {"24", "(24)", true}, {"(24)", "24", false}, {"24", "(4,5)", false}, {"(4,6)", "(6,4)", false},
		{"(4,6)", "(4,6,1)", false}, {"1", "()", true}, {"()", "1", false},
	} {
		a, _ := layout.ParseTuple(c.a)
		b, _ := layout.ParseTuple(c.b)
		if a.Compatible(b) != c.want {
			t.Errorf("%v compatible with %v: %v", a, b, !c.want)
		}
	}
}

// The worked examples: small enough to do by hand.
func TestWorked(t *testing.T) {
	with := func(l layout.Layout, err error) string {
		if err != nil {
			return err.Error()
		}
		return l.String()
	}
	p := layout.MustParse
	for _, c := range []struct{ what, got, want string }{
		{"coalesce", layout.Coalesce(p("(2,(1,6)):(1,(6,2))")).String(), "12:1"},
		{"coalesce by mode", with(layout.CoalesceBy(p("(2,(1,6)):(1,(6,2))"), layout.Ints(1, 1))), "(2,6):(1,2)"},
		{"compose", with(layout.Compose(p("(6,2):(8,2)"), p("(4,3):(3,1)"))), "((2,2),3):((24,2),8)"},
		{"compose", with(layout.Compose(p("20:2"), p("(5,4):(4,1)"))), "(5,4):(8,2)"},
		{"compose", with(layout.Compose(p("(10,2):(16,4)"), p("(5,4):(1,5)"))), "(5,(2,2)):(16,(80,4))"},
		{"compose inside one mode", with(layout.Compose(p("(10,2):(16,4)"), p("4:3"))), "4:48"},
		{"complement", with(layout.Complement(p("4:1"), 24)), "6:4"},
		{"complement", with(layout.Complement(p("6:4"), 24)), "4:1"},
		{"complement", with(layout.Complement(p("(4,6):(1,4)"), 24)), "1:0"},
		{"complement", with(layout.Complement(p("4:2"), 24)), "(2,3):(1,8)"},
		{"complement", with(layout.Complement(p("(2,4):(1,6)"), 24)), "3:2"},
		{"complement", with(layout.Complement(p("(2,2):(1,6)"), 24)), "(3,2):(2,12)"},
		{"divide", with(layout.LogicalDivide(p("(4,2,3):(2,1,8)"), p("4:2"))), "((2,2),(2,3)):((4,1),(2,8))"},
		{"product", with(layout.LogicalProduct(p("(2,2):(4,1)"), p("6:1"))), "((2,2),(2,3)):((4,1),(2,8))"},
		{"product, rounded up", with(layout.LogicalProduct(p("2:4"), p("2:1"))), "(2,2):(4,1)"},
		{"zipped divide", with(layout.ZippedDivide(p("(8,6):(6,1)"), layout.Tile(4, 2)...)), "((4,2),(2,3)):((6,1),(24,2))"},
		{"blocked product", with(layout.BlockedProduct(p("(2,2):(2,1)"), p("(2,3):(3,1)"))), "((2,2),(2,3)):((2,12),(1,4))"},
		{"raked product", with(layout.RakedProduct(p("(2,2):(2,1)"), p("(2,3):(3,1)"))), "((2,2),(3,2)):((12,2),(4,1))"},
		{"right inverse", layout.RightInverse(p("(4,8):(8,1)")).String(), "(8,4):(4,1)"},
		{"right inverse with a gap", layout.RightInverse(p("(4,8):(1,8)")).String(), "4:1"},
		{"left inverse", with(layout.LeftInverse(p("4:2"))), "(2,4):(4,1)"},
		{"rows", with(layout.Rows(layout.Nest(layout.Int(4), layout.Ints(2, 3)))), "(4,(2,3)):(6,(3,1))"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.what, c.got, c.want)
		}
	}
}

// TestRefused: what is refused says which mode and which numbers.
func TestRefused(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("the limits that the sentences name are those of 64 bits")
	}
	const huge = math.MaxInt/2 + 1
	p := layout.MustParse
	err := func(_ any, err error) error { return err }
	for _, c := range []struct {
		err  error
		want string
	}{
		{err(layout.Compose(p("(12,2):(16,4)"), p("3:9"))),
			"layout.Compose: mode 3:9 of 3:9: stride 9 and mode 0 of (12,2):(16,4), whose size is 12, do not divide one another"},
		{err(layout.Compose(p("(4,6):(100,1)"), p("4:3"))),
			"layout.Compose: mode 4:3 of 4:3: stride 3 and mode 0 of (4,6):(100,1), whose size is 4, do not divide one another"},
		{err(layout.Compose(p("(4,6):(100,1)"), p("(2,3):(12,2)"))),
			"layout.Compose: mode 3:2 of (2,3):(12,2): 3 elements are not a multiple of the 2 that mode 0 of (4,6):(100,1) holds at stride 2"},
		{err(layout.Compose(p("8:1"), p("3:4"))), "layout.Compose: 3:4 reaches element 8 of 8:1, which has 8"},
		// Each mode alone stays inside the first four; together they do not.
		{err(layout.Compose(p("(4,2):(1,100)"), p("(3,2):(1,3)"))),
			"layout.Compose: the modes of (3,2):(1,3) together step to 5 in mode 0 of (4,2):(1,100), whose size is 4"},
		{err(layout.ComposeBy(p("(4,8):(8,1)"), layout.Tile(2, 9)...)),
			"layout.ComposeBy: mode 1: layout.Compose: 9:1 reaches element 8 of 8:1, which has 8"},
		{err(layout.ComposeBy(p("4:1"), layout.Tile(2, 2)...)), "layout.ComposeBy: 2 tilers for 4:1, which has 1 modes"},
		{err(layout.Complement(p("(4,2):(1,6)"), 24)),
			"layout.Complement: mode 2:6 of (4,2):(1,6): stride 6 is not a multiple of 4, where the modes below it end"},
		{err(layout.Complement(p("(4,4):(1,1)"), 24)),
			"layout.Complement: mode 4:1 of (4,4):(1,1): stride 1 is not a multiple of 4, where the modes below it end"},
		{err(layout.Complement(p("5:1"), 24)), "layout.Complement: 24 is not a multiple of 5, where 5:1 ends"},
		{err(layout.Complement(p("5:1"), 0)), "layout.Complement: up to 0, not 1 to 281474976710656"},
		{err(layout.LogicalDivide(p("24:1"), p("5:1"))),
			"layout.LogicalDivide: layout.Complement: 24 is not a multiple of 5, where 5:1 ends"},
		{err(layout.ZippedDivide(p("(4,8):(8,1)"), layout.Tile(2, 3)...)),
			"layout.ZippedDivide: mode 1: layout.LogicalDivide: layout.Complement: 8 is not a multiple of 3, where 3:1 ends"},
		{err(layout.FlatDivide(p("4:1"))), "layout.FlatDivide: 0 tilers for 4:1, which has 1 modes"},
		{err(layout.LogicalProduct(p("(4,2):(1,6)"), p("3:1"))),
			"layout.LogicalProduct: layout.Complement: mode 2:6 of (4,2):(1,6): stride 6 is not a multiple of 4, where the modes below it end"},
		{err(layout.LogicalProduct(p("(2,2):(1,4)"), p("(2,3):(1,3)"))), "*"},
		{err(layout.LogicalProduct(p("16777216:1"), p("16777217:1"))),
			"layout.LogicalProduct: 16777216:1 times 16777217:1 reaches beyond offset 281474976710655"},
		{err(layout.LeftInverse(p("(4,3):(1,0)"))), "layout.LeftInverse: mode 3:0 of (4,3):(1,0) puts 3 elements in one place"},
		{err(layout.CoalesceBy(p("12:1"), layout.Ints(1, 1))), "layout.CoalesceBy: 12:1 has no modes that face those of profile (1,1)"},
		{err(layout.Make(layout.Ints(4, 2), layout.Ints(1))), "layout.Make: shape (4,2) and stride (1) are not nested alike"},
		{err(layout.Make(layout.Ints(4, 0), layout.Ints(1, 4))), "layout.Make: size 1 of (4,0):(1,4) is 0, not at least 1"},
		{err(layout.Make(layout.Ints(4, 2), layout.Ints(1, -4))), "layout.Make: stride 1 of (4,2):(1,-4) is -4, not at least 0"},
		{err(layout.Make(layout.Ints(1<<20, 1<<20, 1<<20), layout.Ints(0, 0, 0))), "*"},
		{err(layout.Make(layout.Ints(1<<20, 1<<20), layout.Ints(1<<30, 1<<30))), "*"},
		{err(layout.Make(layout.Ints(huge, 4), layout.Ints(1, huge))), "*"},
		{err(layout.Make(layout.Int(3), layout.Int(huge))), "*"},
		{err(layout.Columns(layout.Ints(huge, huge))), "*"},
		{err(layout.Rows(layout.Ints(3, -1))), "layout.Make: shape (3,-1) has a size below 1 or more than 281474976710656 elements"},
		{layout.Swizzle{B: 3, M: 4, S: 2}.Check(), "layout.Swizzle: Sw<3,4,2> moves bits onto themselves: |S| is 2, below B"},
		{layout.Swizzle{B: -1, M: 4, S: 2}.Check(), "layout.Swizzle: Sw<-1,4,2> needs B and M from 0 on, and M+B+|S| at most 48"},
		{layout.Swizzle{B: 3, M: 4, S: 60}.Check(), "layout.Swizzle: Sw<3,4,60> needs B and M from 0 on, and M+B+|S| at most 48"},
		{layout.Swizzle{B: 1, M: 1, S: math.MinInt}.Check(), "*"},
		{err(layout.Swizzle{B: 1, M: 0, S: 0}.Of(p("4:1"))), "*"},
		{err(layout.Swizzle{B: 3, M: 4, S: 3}.PerElement(32)), "layout.Swizzle: Sw<3,4,3> moves parts of elements of 32 bytes: M is less than 5"},
		{err(layout.Swizzle{B: 3, M: 4, S: 3}.PerElement(6)), "layout.Swizzle: elements of 6 bytes, not a power of two"},
	} {
		switch {
		case c.err == nil:
			t.Errorf("no error, want %q", c.want)
		case c.want != "*" && c.err.Error() != c.want:
			t.Errorf("%q, want %q", c.err, c.want)
		case c.want == "*" && len(c.err.Error()) < 20:
			t.Errorf("%q says nothing", c.err)
		}
	}
}

// TestLayoutPanics: the documented ones, all with a ShapeError.
func TestLayoutPanics(t *testing.T) {
	l := layout.MustParse("(4,8):(8,1)")
	for what, f := range map[string]func(){
		"At beyond the end":          func() { l.At(32) },
		"At below 0":                 func() { l.At(-1) },
		"At beyond a mode":           func() { l.At(4, 0) },
		"At with three":              func() { l.At(1, 2, 3) },
		"At of nothing":              func() { l.At() },
		"AtTuple of another nesting": func() { l.AtTuple(layout.Nest(layout.Int(1), layout.Ints(0, 1))) },
		"Coordinate beyond the end":  func() { l.Coordinate(32) },
		"Mode that is not there":     func() { l.Mode(2) },
		"Tile of nothing":            func() { layout.Tile(0) },
		"Join too large":             func() { layout.Join(layout.Tile(1 << 28)[0], layout.Tile(1 << 28)[0]) },
		"MustParse":                  func() { layout.MustParse("(4") },
	} {
		func() {
			defer func() {
				if _, ok := recover().(layout.ShapeError); !ok {
					t.Errorf("%s: no panic with a ShapeError", what)
				}
			}()
			f()
		}()
	}
}

// TestZero: the zero Layout and the zero Tuple can be used.
func TestZero(t *testing.T) {
	var l layout.Layout
	got := fmt.Sprint(l, l.Size(), l.Cosize(), l.Rank(), l.Depth(), l.At(), l.At(0), layout.Coalesce(l), layout.RightInverse(l))
	if want := "():() 1 1 0 1 0 0 1:0 1:0"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
