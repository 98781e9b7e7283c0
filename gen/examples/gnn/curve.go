package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"html"
	"io"
)

// lines writes the curve, a line of JSON for each epoch.
func (t *Trainer[T]) lines(w io.Writer) error {
	e := json.NewEncoder(w)
	for _, p := range t.State.Curve {
		if err := e.Encode(p); err != nil {
			return err
		}
	}
	return nil
}

// draw writes the curve as SVG: loss above, from 0 to the greatest, accuracy below, from 0 to 1.
func (t *Trainer[T]) draw(w io.Writer) error {
	const width, height, gap, left = 640, 200, 40, 50
	curve, top := t.State.Curve, 0.0
	for _, p := range curve {
		top = max(top, p.Train.Loss, p.Validation.Loss)
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", left+width+20, 2*height+3*gap)
	fmt.Fprintf(b, `<rect width="100%%" height="100%%" fill="white"/>`+"\n"+`<text x="%d" y="20">%s on %s, seed %d: training grey, validation blue</text>`+"\n",
		left, html.EscapeString(t.Model.Name), html.EscapeString(t.Set.Name), t.State.Seed)
	for n, panel := range []struct {
		name string
		top  float64
		of   func(Point) (train, validation float64)
	}{
		{"loss", top, func(p Point) (float64, float64) { return p.Train.Loss, p.Validation.Loss }},
		{"accuracy", 1, func(p Point) (float64, float64) { return p.Train.Accuracy, p.Validation.Accuracy }},
	} {
		floor := float64(gap + height + n*(height+gap))
		fmt.Fprintf(b, `<text x="4" y="%.0f">%s</text><text x="4" y="%.0f">%.3g</text><text x="4" y="%.0f">0</text>`+"\n", floor-height/2, panel.name, floor-height+10, panel.top, floor)
		fmt.Fprintf(b, `<path d="M%d %.0fV%.0fH%d" fill="none" stroke="black"/>`+"\n", left, floor-height, floor, left+width)
		at := func(p Point, v float64) {
			fmt.Fprintf(b, "%.1f,%.1f ", left+width*float64(p.Epoch)/float64(len(curve)), floor-height*v/max(panel.top, 1e-300))
		}
		for _, line := range []string{"#999999", "#0055cc"} {
			fmt.Fprintf(b, `<polyline fill="none" stroke="%s" points="`, line)
			for _, p := range curve {
				v, validation := panel.of(p)
				if line != "#999999" {
					v = validation
				}
				at(p, v)
			}
			fmt.Fprintln(b, `"/>`)
		}
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%d epochs</text>`+"\n</svg>\n", left+width, 2*height+2*gap+16, len(curve))
	return b.Flush()
}
