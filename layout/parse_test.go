package layout_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"8:1", "8:1"},
		{"((4,8),2):((32,1),16)", "((4,8),2):((32,1),16)"},
		{" ( (4, 8) ,2 ) :\t((32,1),16) ", "((4,8),2):((32,1),16)"},
		{"():()", "():()"},
		{"(8):(1)", "(8):(1)"},
		{"007:01", "7:1"},
	} {
		l, err := layout.Parse(c.text)
		if err != nil || l.String() != c.want {
			t.Errorf("%q: %v, %v; want %s", c.text, l, err, c.want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"Sw<3,4,3> o (8,64):(64,1)", "Sw<3,4,3> o (8,64):(64,1)"},
		{"Sw < 2, 0, - 3 > o 8 : 1", "Sw<2,0,-3> o 8:1"},
		{"Sw<2,0,-3>o8:1", "Sw<2,0,-3> o 8:1"},
		{"8:1", "Sw<0,0,0> o 8:1"},
	} {
		s, err := layout.ParseSwizzled(c.text)
		if err != nil || s.String() != c.want {
			t.Errorf("%q: %v, %v; want %s", c.text, s, err, c.want)
		}
	}
}

func TestParseRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "layout: column 1: the end of the text, want an integer from 0 on"},
		{"8", "layout: column 2: the end of the text, want ':'"},
		{"8:", "layout: column 3: the end of the text, want an integer from 0 on"},
		{"8:1 ", ""},
		{"8:1:1", `layout: column 4: ":1" after the end`},
		{"(4,8:(1,4)", `layout: column 5: ":(1,4)", want ',' or ')'`},
		{"(4,):(1,)", `layout: column 4: "):(1,)", want an integer from 0 on`},
		{"(4,-8):(1,4)", `layout: column 4: "-8):(1,4)", want an integer from 0 on`},
		{"4:٣", `layout: column 3: "٣", want an integer from 0 on`},
		{"4:1e9", `layout: column 4: "e9" after the end`},
		{"99999999999999999999:1", fmt.Sprintf(`layout: column 1: "99999999999999999999..." is more than %d`, min(1<<48, math.MaxInt/8))},
		{"(4,8):(1,(4))", "layout.Make: shape (4,8) and stride (1,(4)) are not nested alike"},
		{"0:1", "layout.Make: size 0 of 0:1 is 0, not at least 1"},
		{"Sw<3,4,2> o 8:1", "layout.Swizzle: Sw<3,4,2> moves bits onto themselves: |S| is 2, below B"},
		{"Sw<3,4> o 8:1", `layout: column 7: "> o 8:1", want ','`},
		{"Sw<3,4,3> 8:1", `layout: column 11: "8:1", want 'o'`},
		{"Sw<3,-4,3> o 8:1", `layout: column 6: "-4,3> o 8:1", want an integer from 0 on`},
		{strings.Repeat("(", 33), "layout: column 33: nested deeper than 32"},
		{strings.Repeat("(", 1<<20), "layout: column 33: nested deeper than 32"},
		{"(" + strings.Repeat("1,", 1<<20), "layout: column 4098: more than 2048 integers"},
	} {
		_, err := layout.ParseSwizzled(c.text)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%.40q: %v", c.text, err)
		case c.want != "" && (err == nil || err.Error() != c.want):
			t.Errorf("%.40q: %v, want %s", c.text, err, c.want)
		}
	}
	if _, err := layout.ParseTuple("(4,8"); err == nil {
		t.Error("an open tuple is read")
	}
	if l, err := layout.Parse("Sw<3,4,3> o 8:1"); err == nil {
		t.Errorf("a swizzle is read as the layout %v", l)
	}
}

// FuzzParse: no text makes the parser panic, what it reads prints and reads back
// alike, and can be computed with.
func FuzzParse(f *testing.F) {
	for _, s := range append(table, "Sw<3,4,3> o (8,64):(64,1)", "((4,8),2):((32,1),16", "Sw<", "1:99999999999999999999", "((((") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := layout.ParseSwizzled(text)
		if err != nil {
			return
		}
		back, err := layout.ParseSwizzled(s.String())
		if err != nil || back.Swizzle() != s.Swizzle() || !back.Layout().Equal(s.Layout()) {
			t.Fatalf("%q: %v reads back as %v, %v", text, s, back, err)
		}
		l := s.Layout()
		last := s.At(l.Size() - 1)
		if last < 0 || last >= s.Cosize() {
			t.Fatalf("%v: the last element is at %d", s, last)
		}
		if c := layout.Coalesce(l); c.Size() != l.Size() || c.Cosize() != l.Cosize() {
			t.Fatalf("%v coalesced to %v", l, c)
		}
		r := layout.RightInverse(l)
		if i := r.Size() - 1; l.At(r.At(i)) != i {
			t.Fatalf("%v: right inverse %v", l, r)
		}
		_, _ = layout.LeftInverse(l)
		_, _ = layout.LogicalProduct(l, l)
		_, _ = layout.LogicalDivide(l, layout.Tile(2)[0])
		_, _ = layout.Compose(l, l)
		_, _ = layout.Draw(s)
	})
}
