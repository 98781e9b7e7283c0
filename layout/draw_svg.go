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
	svgLeft  = 36 // room for the numbers of the rows
	svgTop   = 52 // for the title and the numbers of the columns
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
	chars, cols := 2, 0
	for _, row := range g.Cells {
		cols = max(cols, len(row))
		for _, c := range row {
			chars = max(chars, utf8.RuneCountInString(c.Text))
		}
	}
	cell := int(svgGlyph*float64(chars)) + 10
	width := max(svgLeft+cols*cell, int(svgGlyph*float64(utf8.RuneCountInString(g.Title)))+20) + 8
	height := svgTop + len(g.Cells)*svgRow + 8

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">`+"\n", width, height)
	title := escape(g.Title)
	fmt.Fprintf(&b, "<title>%s</title>\n%s<text class=\"t\" x=\"8\" y=\"16\">%[1]s</text>\n", title, svgStyle)
	for j := range cols {
		fmt.Fprintf(&b, `<text class="n" x="%d" y="%d">%d</text>`+"\n", svgLeft+j*cell+cell/2, svgTop-svgFont, j)
	}
	for i, row := range g.Cells {
		y := svgTop + i*svgRow
		fmt.Fprintf(&b, `<text class="n" x="%d" y="%d">%d</text>`+"\n", svgLeft/2, y+svgRow/2, i)
		for j, c := range row {
			x := svgLeft + j*cell
			fmt.Fprintf(&b, `<rect class="h%d" x="%d" y="%d" width="%d" height="%d"/><text x="%d" y="%d">%s</text>`+"\n",
				c.Hue&7, x, y, cell, svgRow, x+cell/2, y+svgRow/2, escape(c.Text))
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
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
