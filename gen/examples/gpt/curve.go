package main

import (
	"bufio"
	"fmt"
	"io"
)

// draw writes the curve as SVG: nats a token by seconds, from 0 to the greatest.
func draw(w io.Writer, title string, curve []Point) error {
	const width, height, left, top = 640, 320, 50, 40
	most, end := 0.0, 1e-9
	for _, p := range curve {
		most, end = max(most, p.Loss, p.Validation), max(end, p.Seconds)
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", left+width+20, top+height+40)
	fmt.Fprintf(b, `<rect width="100%%" height="100%%" fill="white"/>`+"\n"+`<text x="%d" y="20">%s</text>`+"\n", left, title)
	fmt.Fprintf(b, `<text x="4" y="%d">%.2f</text><text x="4" y="%d">0</text>`+"\n", top+10, most, top+height)
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%.0f s</text>`+"\n", left+width, top+height+16, end)
	fmt.Fprintf(b, `<path d="M%d %dV%dH%d" fill="none" stroke="black"/>`+"\n", left, top, top+height, left+width)
	for _, line := range []struct {
		colour string
		of     func(Point) float64
	}{{"#999999", func(p Point) float64 { return p.Loss }}, {"#0055cc", func(p Point) float64 { return p.Validation }}} {
		fmt.Fprintf(b, `<polyline fill="none" stroke="%s" points="`, line.colour)
		for _, p := range curve {
			fmt.Fprintf(b, "%.1f,%.1f ", left+width*p.Seconds/end, top+height*(1-line.of(p)/max(most, 1e-300)))
		}
		fmt.Fprintln(b, `"/>`)
	}
	fmt.Fprintln(b, "</svg>")
	return b.Flush()
}
