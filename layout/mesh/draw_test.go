package mesh_test

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/mesh"
)

var update = flag.Bool("update", false, "write testdata")

func TestDraw(t *testing.T) {
	m := mesh.Must(mesh.ParseMesh("x=2,y=2,z=2"))
	for _, c := range []struct{ text, want string }{
		{"5{x} x 7{y}", `
5{x} x 7{y}
      0   1   2   3   4   5   6
  +----------------------------
0 | 0,1 0,1 0,1 0,1 2,3 2,3 2,3
1 | 0,1 0,1 0,1 0,1 2,3 2,3 2,3
2 | 0,1 0,1 0,1 0,1 2,3 2,3 2,3
3 | 4,5 4,5 4,5 4,5 6,7 6,7 6,7
4 | 4,5 4,5 4,5 4,5 6,7 6,7 6,7
`},
		{"100{x,z:20}", `
100{x,z:20}
      0   1   2   3   4
  +--------------------
0 | 0,2 1,3 4,6 5,7 0,2
`},
		{"1000 x 2{z} x 1000{x}", `
1000 x 2{z} x 1000{x}
      0   1
  +--------
0 | 0,2 4,6
1 | 1,3 5,7
`},
		{"3{x}", `
3{x}
      0   1   2
  +------------
0 | 0-3 0-3 4-7
`},
		{"17{y}", `
17{y}
          0       1
  +----------------
0 | 0,1,4+1 2,3,6+1
`},
		{"", `

      0
  +----
0 | 0-7
`},
	} {
		g, err := mesh.Must(m.Parse(c.text)).Draw()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want[1:], g.String()); diff != "" {
			t.Errorf("%s: %s", c.text, diff)
		}
	}
	for _, text := range []string{"1000000{x:1}", "1000{x:1} x 1000{y:1}", "1000{x:1} x 1000{y:1} x 1000{z:1}"} {
		if _, err := mesh.Must(m.Parse(text)).Draw(); err == nil {
			t.Errorf("%s is drawn", text)
		}
	}
}

// TestPlanSVG: the picture of a plan is well-formed, refers to nothing, and is the one in
// testdata, which -update writes.
func TestPlanSVG(t *testing.T) {
	m := mesh.Must(mesh.ParseMesh("x=2,y=2"))
	p := mesh.Must(mesh.Reshard(mesh.Must(m.Parse("8{x,y} x 6")), mesh.Must(m.Parse("8 x 6{y,x}")), mesh.Options{}))
	svg, err := p.SVG()
	if err != nil {
		t.Fatal(err)
	}
	boxes := 0
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			if e.Name.Local == "rect" {
				boxes++
			}
			for _, a := range e.Attr {
				if strings.Contains(a.Name.Local, "href") {
					t.Errorf("%s refers to %s", e.Name.Local, a.Value)
				}
			}
		}
	}
	if want := 48 * (len(p.Steps) + 1); boxes != want || !strings.Contains(svg, "prefers-color-scheme: dark") {
		t.Errorf("%d boxes, want %d", boxes, want)
	}
	const file = "testdata/plan.svg"
	if *update {
		if err := os.WriteFile(file, []byte(svg), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), svg); diff != "" {
		t.Error(diff)
	}
}

// TestSVGRowEscapes: text of any kind stays text.
func TestSVGRowEscapes(t *testing.T) {
	svg := layout.SVGRow("</text><script>", layout.Grid{Title: "<b>\n&", Cells: [][]layout.Cell{{{Text: "<i>\x00", Hue: 9}}}}, layout.Grid{})
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && strings.Contains("script b i", e.Name.Local) {
			t.Errorf("element %s", e.Name.Local)
		}
	}
}
