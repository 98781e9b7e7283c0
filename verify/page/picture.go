package page

import (
	"math"
	"slices"
)

// frame is one size of the picture. A page holds two, because text that is right on
// a screen cannot be read when all is scaled down to a phone.
type frame struct {
	class         string
	width, height float64 // of the part above the legend
	font          float64
	left, top     float64 // from the edges to the plot
	bottom        float64
	gutter        float64 // between the plot and the names of roofs, for the leaders
	side          float64 // most of the width for these names
	tick          float64 // least pixels between numbers on an axis
	twoLines      bool    // name and value of a roof; slopes have no unit
	alone         bool    // a file of its own: with title, colours and paper
}

var (
	wide   = frame{class: "wide", width: 960, height: 560, font: 13, left: 62, top: 14, bottom: 52, gutter: 20, side: 220, tick: 38}
	narrow = frame{class: "narrow", width: 420, height: 500, font: 12, left: 46, top: 12, bottom: 48, gutter: 14, side: 86, tick: 34, twoLines: true}
)

// picture is where everything goes.
type picture struct {
	frame
	x, y   axis
	plot   box // y0 is the upper edge
	roofs  []line
	slopes []line
	marks  []dot
	series []string
}

// line is a ceiling from (x0, y0) to (x1, y1), and its label.
type line struct {
	name, value    string
	told           string // all of it, when pointed at
	x0, y0, x1, y1 float64
	lx, ly         float64 // of the label
	labelled       bool
}

// dot is a mark.
type dot struct {
	*Mark
	series    int
	x, y      float64
	predicted float64 // y of the hollow mark; 0: none
	label     string  // empty if there is no room
	lx, ly    float64
	anchor    raw
}

// arrange puts d, of which everything is drawable, into a frame.
func arrange(d *Data, f frame) *picture {
	p := &picture{frame: f}
	var names map[string]int
	p.series, names = seriesOf(d.Marks)
	side := p.sideWidth(d.Roofs)
	p.plot = box{f.left, f.top, f.width - side, f.height - f.bottom}
	p.axes(d)
	p.arrangeRoofs(d)
	for i := range d.Marks {
		m := &d.Marks[i]
		e := dot{Mark: m, series: names[m.Series], x: p.x.at(math.Log10(m.Intensity)), y: p.y.at(math.Log10(m.GFLOPS))}
		if m.Predicted != 0 {
			e.predicted = p.y.at(math.Log10(m.Predicted))
		}
		p.marks = append(p.marks, e)
	}
	// In the order of the arrow keys, from the first series to the last.
	slices.SortStableFunc(p.marks, func(a, b dot) int {
		if a.series != b.series {
			return a.series - b.series
		}
		switch {
		case a.Intensity < b.Intensity:
			return -1
		case a.Intensity > b.Intensity:
			return 1
		}
		return 0
	})
	labels := p.arrangeSlopes(d)
	p.labelMarks(labels)
	return p
}

// axes chooses what the axes span: all marks and predictions, all ceilings, the
// ridge of the fastest memory with some of its slope, and that of the slowest.
func (p *picture) axes(d *Data) {
	var xs, ys []float64
	for _, m := range d.Marks {
		xs, ys = append(xs, math.Log10(m.Intensity)), append(ys, math.Log10(m.GFLOPS))
		if m.Predicted != 0 {
			ys = append(ys, math.Log10(m.Predicted))
		}
	}
	for _, r := range d.Roofs {
		ys = append(ys, math.Log10(r.GFLOPS))
	}
	if len(d.Slopes) > 0 {
		slow, fast := math.Inf(1), math.Inf(-1)
		for _, s := range d.Slopes {
			slow, fast = min(slow, math.Log10(s.GBs)), max(fast, math.Log10(s.GBs))
		}
		switch {
		case len(d.Roofs) > 0:
			top := math.Inf(-1)
			for _, r := range d.Roofs {
				top = max(top, math.Log10(r.GFLOPS))
			}
			xs = append(xs, top-fast-0.75, top-slow+0.3)
		case len(xs) > 0: // slopes above the marks
			ys = append(ys, fast+slices.Min(xs))
		default:
			xs, ys = append(xs, -1, 1), append(ys, slow-1, fast+1)
		}
	}
	p.x.lo, p.x.hi = spanning(xs, 0.1)
	p.y.lo, p.y.hi = spanning(ys, 0.12)
	if len(d.Slopes) > 0 {
		p.y.lo -= 0.2 // for the name of the slowest memory
	}
	p.x.from, p.x.to = p.plot.x0, p.plot.x1
	p.y.from, p.y.to = p.plot.y1, p.plot.y0
}
