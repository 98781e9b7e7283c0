package layout_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/layout"
)

func TestDraw(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"(2,3):(3,1)", `
(2,3):(3,1)
    0 1 2
  +------
0 | 0 1 2
1 | 3 4 5
`},
		{"4:3", `
4:3
    0 1 2 3
  +--------
0 | 0 3 6 9
`},
		{"((2,2),(2,2)):((1,4),(2,8))", `
((2,2),(2,2)):((1,4),(2,8))
     0  1  2  3
  +------------
0 |  0  2  8 10
1 |  1  3  9 11
2 |  4  6 12 14
3 |  5  7 13 15
`},
		{"Sw<1,0,2> o (3,4):(4,1)", `
Sw<1,0,2> o (3,4):(4,1)
     0  1  2  3
  +------------
0 |  0  1  2  3
1 |  5  4  7  6
2 |  8  9 10 11
`},
	} {
		var m layout.Map
		m, err := layout.Parse(c.text)
		if strings.HasPrefix(c.text, "Sw") {
			m, err = layout.ParseSwizzled(c.text)
		}
		if err != nil {
			t.Fatal(err)
		}
		g, err := layout.Draw(m)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want[1:], g.String()); diff != "" {
			t.Errorf("%s: %s", c.text, diff)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"(2,3,4):(1,2,6)", "layout.Draw: (2,3,4):(1,2,6) has 3 modes: group them into two, down and right"},
		{"():()", "layout.Draw: ():() has 0 modes: group them into two, down and right"},
		{"(256,257):(1,256)", "layout.Draw: (256,257):(1,256) has more than 65536 cells"},
	} {
		if _, err := layout.Draw(layout.MustParse(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestDrawFragment: elements that nobody or several hold can be seen.
func TestDrawFragment(t *testing.T) {
	g, err := layout.Fragment{Rows: 2, Cols: 3, TV: layout.MustParse("(2,(2,2)):(1,(2,0))")}.Draw()
	if err != nil {
		t.Fatal(err)
	}
	want := `(2,(2,2)):(1,(2,0)) on 2 x 3
           0        1        2
  +---------------------------
0 | T0 V0 +1 T0 V1 +1        -
1 | T1 V0 +1 T1 V1 +1        -
`
	if diff := cmp.Diff(want, g.String()); diff != "" {
		t.Error(diff)
	}
}

// TestSVG: a picture is well-formed, the same every time, has a box for each cell,
// refers to nothing outside, and shows text as it is.
func TestSVG(t *testing.T) {
	s, err := layout.ParseSwizzled("Sw<1,0,2> o (3,4):(4,1)")
	if err != nil {
		t.Fatal(err)
	}
	g, err := layout.Draw(s)
	if err != nil {
		t.Fatal(err)
	}
	f, err := layout.Fragment{Rows: 16, Cols: 8, TV: layout.MustParse("((4,8),(2,2)):((32,1),(16,8))")}.Draw()
	if err != nil {
		t.Fatal(err)
	}
	hostile := layout.Grid{Title: `</text><script>"&` + "\x00", Cells: [][]layout.Cell{{{Text: "<b>", Hue: -3}}}}
	for _, g := range []layout.Grid{g, f, hostile, {}} {
		svg := g.SVG()
		if svg != g.SVG() {
			t.Fatal("two pictures of one grid differ")
		}
		boxes, texts := 0, []string{}
		for d := xml.NewDecoder(strings.NewReader(svg)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", g.Title, err)
			}
			switch token := token.(type) {
			case xml.StartElement:
				switch token.Name.Local {
				case "rect":
					boxes++
				case "svg", "title", "style", "text":
				default:
					t.Errorf("%s: element %s", g.Title, token.Name.Local)
				}
				for _, a := range token.Attr {
					if strings.Contains(a.Name.Local, "href") || strings.HasPrefix(a.Value, "-") || a.Value == "h-3" {
						t.Errorf("%s: attribute %s = %s", g.Title, a.Name.Local, a.Value)
					}
				}
			case xml.CharData:
				texts = append(texts, string(token))
			}
		}
		cells, all := 0, strings.Join(texts, "\n")
		for _, row := range g.Cells {
			cells += len(row)
			for _, c := range row {
				if !strings.Contains(all, "\n"+c.Text+"\n") {
					t.Errorf("%s: no text %s", g.Title, c.Text)
				}
			}
		}
		if boxes != cells || !strings.Contains(all, strings.TrimSuffix(g.Title, "\x00")) {
			t.Errorf("%s: %d boxes for %d cells, texts %q", g.Title, boxes, cells, texts[:3])
		}
		if !strings.Contains(svg, "prefers-color-scheme: dark") {
			t.Errorf("%s: no colours for a dark background", g.Title)
		}
	}
}
