package layout

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Lengths of the picture in pixels. A glyph of the monospaced font is about 0.6 of
// its size wide.
const (
	svgFont  = 12
	svgGlyph = 7.3
	svgRow   = 24
	svgLine  = 16
	svgLeft  = 36 // room for the numbers of the rows
	svgTop   = 52 // for a title of one line and the numbers of the columns
)

// svgStyle has eight hues for either background; the numbers outside the cells
// take the colour of the surroundings.
const svgStyle = `<style>
text { font: 12px ui-monospace, Menlo, Consolas, monospace; text-anchor: middle; dominant-baseline: central; fill: #1c1c1c }
.n { fill: #666 } .t { text-anchor: start; font-weight: bold }
rect { stroke: #888; stroke-width: .5 }
.h0 { fill: #cfe3ff } .h1 { fill: #ffe0c2 } .h2 { fill: #d4f2d0 } .h3 { fill: #f6d3e6 }
.h4 { fill: #e5dcff } .h5 { fill: #fff3b8 } .h6 { fill: #cdf1f0 } .h7 { fill: #e6e6e6 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f0f0 } .n { fill: #aaa } rect { stroke: #666 }
.h0 { fill: #1f4068 } .h1 { fill: #6b4018 } .h2 { fill: #25522a } .h3 { fill: #66284a }
.h4 { fill: #45348a } .h5 { fill: #5c5010 } .h6 { fill: #145355 } .h7 { fill: #484848 }
}
</style>
`

// SVG returns the grid as a picture that stands alone: it has its own colours, for
// a light and a dark background, and refers to nothing.
func (g Grid) SVG() string {
	d := g.drawing([]string{g.Title})
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">`+"\n", d.width, d.height)
	fmt.Fprintf(&b, "<title>%s</title>\n%s", escape(g.Title), svgStyle)
	d.write(&b, 0, 0)
	b.WriteString("</svg>\n")
	return b.String()
}

// SVGRow returns grids as one picture, side by side under a title, as Grid.SVG draws one.
// Titles of grids may have several lines.
func SVGRow(title string, grids ...Grid) string {
	var ds []drawing
	lines := 1
	for _, g := range grids {
		text := strings.Split(g.Title, "\n")
		lines = max(lines, len(text))
		ds = append(ds, g.drawing(text))
	}
	width, height := titleWidth(title), 0
	x := 0
	for i := range ds {
		for len(ds[i].title) < lines { // so that all begin at one height
			ds[i].title = append(ds[i].title, "")
		}
		ds[i].measure()
		x += ds[i].width
		width, height = max(width, x), max(height, ds[i].height)
	}
	height += svgRow
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">`+"\n", width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n%s<text class=\"t\" x=\"8\" y=\"16\">%[1]s</text>\n", escape(title), svgStyle)
	x = 0
	for _, d := range ds {
		d.write(&b, x, svgRow)
		x += d.width
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// A drawing is a grid with its sizes in pixels.
type drawing struct {
	Grid
	title               []string
	cell, width, height int
}

func (g Grid) drawing(title []string) drawing {
	d := drawing{Grid: g, title: title}
	d.measure()
	return d
}

func titleWidth(title string) int { return int(svgGlyph*float64(utf8.RuneCountInString(title))) + 28 }

func (d *drawing) measure() {
	chars, cols := 2, 0
	for _, row := range d.Cells {
		cols = max(cols, len(row))
		for _, c := range row {
			chars = max(chars, utf8.RuneCountInString(c.Text))
		}
	}
	d.cell = int(svgGlyph*float64(chars)) + 10
	d.width = svgLeft + cols*d.cell + 8
	for _, line := range d.title {
		d.width = max(d.width, titleWidth(line))
	}
	d.height = d.top() + len(d.Cells)*svgRow + 8
}

// top is the room for the title and the numbers of the columns.
func (d *drawing) top() int { return svgTop + (len(d.title)-1)*svgLine }

// write writes the drawing with its upper left corner at (x0, y0).
func (d *drawing) write(b *strings.Builder, x0, y0 int) {
	for i, line := range d.title {
		fmt.Fprintf(b, "<text class=\"t\" x=\"%d\" y=\"%d\">%s</text>\n", x0+8, y0+16+i*svgLine, escape(line))
	}
	cols := 0
	for _, row := range d.Cells {
		cols = max(cols, len(row))
	}
	left, top := x0+svgLeft, y0+d.top()
	for j := range cols {
		fmt.Fprintf(b, `<text class="n" x="%d" y="%d">%d</text>`+"\n", left+j*d.cell+d.cell/2, top-svgFont, j)
	}
	for i, row := range d.Cells {
		y := top + i*svgRow
		fmt.Fprintf(b, `<text class="n" x="%d" y="%d">%d</text>`+"\n", x0+svgLeft/2, y+svgRow/2, i)
		for j, c := range row {
			x := left + j*d.cell
			fmt.Fprintf(b, `<rect class="h%d" x="%d" y="%d" width="%d" height="%d"/><text x="%d" y="%d">%s</text>`+"\n",
				c.Hue&7, x, y, d.cell, svgRow, x+d.cell/2, y+svgRow/2, escape(c.Text))
		}
	}
}

// escape returns text as XML; what XML cannot hold becomes U+FFFD. encoding/xml
// would do it too, but this package is linked into every program with a kernel.
func escape(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xFFFE || r == 0xFFFF {
			return utf8.RuneError
		}
		return r
	}, text)
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
