package page

import (
	"math"
	"slices"
	"strings"
)

// bold is how much wider bold letters are.
const bold = 1.12

// sideWidth is the width of the names of the roofs to the side of the plot.
func (p *picture) sideWidth(roofs []Roof) float64 {
	w := 0.0
	for _, r := range roofs {
		w = max(w, p.roofWidth(r))
	}
	if len(roofs) == 0 {
		return 16
	}
	return min(w+1, p.side) + p.gutter + 6 // + 1: the same sum again, rounded
}

func (p *picture) roofWidth(r Roof) float64 {
	name, value := width(r.Name, p.font*bold), width(roofValue(r), p.font)
	if p.twoLines {
		return max(name, value)
	}
	return name + value + 8
}

func roofValue(r Roof) string { return strings.TrimSuffix(number(r.GFLOPS), ".0") + " GFLOP/s" }

// arrangeRoofs draws each from the fastest memory to the right edge, and moves
// their names apart.
func (p *picture) arrangeRoofs(d *Data) {
	start := p.x.lo
	fast := math.Inf(-1)
	for _, s := range d.Slopes {
		fast = max(fast, math.Log10(s.GBs))
	}
	sorted := slices.Clone(d.Roofs)
	slices.SortStableFunc(sorted, func(a, b Roof) int { // the highest first, as on the page
		switch {
		case a.GFLOPS > b.GFLOPS:
			return -1
		case a.GFLOPS < b.GFLOPS:
			return 1
		}
		return 0
	})
	var want []float64
	for _, r := range sorted {
		l := math.Log10(r.GFLOPS)
		from := start
		if len(d.Slopes) > 0 {
			from = min(max(start, l-fast), p.x.hi)
		}
		y := p.y.at(l)
		room := p.width - p.plot.x1 - p.gutter - 6
		value := roofValue(r)
		if !p.twoLines {
			room -= width(value, p.font) + 8
		}
		p.roofs = append(p.roofs, line{name: shorten(r.Name, p.font*bold, room), value: value, told: r.Name + "  " + value,
			x0: p.x.at(from), y0: y, x1: p.plot.x1, y1: y, lx: p.plot.x1 + p.gutter})
		want = append(want, y)
	}
	gap := p.font * 1.4
	if p.twoLines {
		gap = p.font * 2.5
	}
	for i, y := range spread(want, gap, p.plot.y0+gap/2, p.plot.y1-gap/2) {
		p.roofs[i].ly = y
	}
}

// arrangeSlopes draws each from the edge of the plot to the highest roof and puts
// its name along it, off the marks and off the other names. It returns the boxes of
// the names, upright and so a little too large.
func (p *picture) arrangeSlopes(d *Data) []box {
	top := p.y.hi
	if len(d.Roofs) > 0 {
		top = math.Inf(-1)
		for _, r := range d.Roofs {
			top = max(top, math.Log10(r.GFLOPS))
		}
	}
	turn := math.Atan2(p.y.scale(), p.x.scale())
	sin, cos := math.Sincos(turn)
	along := func(x, y float64) (u, v float64) { return x*cos - y*sin, -x*sin - y*cos }
	back := func(u, v float64) (x, y float64) { return u*cos - v*sin, -u*sin - v*cos }

	inside := func(b box) bool {
		for _, corner := range [][2]float64{{b.x0, b.y0}, {b.x0, b.y1}, {b.x1, b.y0}, {b.x1, b.y1}} {
			if x, y := back(corner[0], corner[1]); !around(x, y, 2).within(p.plot) {
				return false
			}
		}
		return true
	}

	var inWay, names, upright []box
	for _, m := range p.marks {
		u, v := along(m.x, m.y)
		inWay = append(inWay, around(u, v, 7))
		if m.predicted != 0 {
			u, v = along(m.x, m.predicted)
			inWay = append(inWay, around(u, v, 6))
		}
	}
	for _, s := range d.Slopes {
		l := math.Log10(s.GBs)
		u0, u1 := max(p.x.lo, p.y.lo-l), min(p.x.hi, top-l)
		label := shorten(s.Name, p.font, 160) + "  " + strings.TrimSuffix(number(s.GBs), ".0")
		if !p.twoLines {
			label += " GB/s"
		}
		if u1-u0 < 1e-6 {
			continue // it leaves the plot before it enters: a table has it
		}
		e := line{name: label, told: s.Name + "  " + number(s.GBs) + " GB/s", x0: p.x.at(u0), y0: p.y.at(u0 + l), x1: p.x.at(u1), y1: p.y.at(u1 + l)}
		from, v := along(e.x0, e.y0)
		to, _ := along(e.x1, e.y1)
		w, h := width(label, p.font), p.font
		var crossed []box
		for _, r := range p.roofs {
			x := e.x0 + (e.y0-r.y0)/p.y.scale()*p.x.scale()
			if x > r.x0+1 {
				u, _ := along(x, r.y0)
				crossed = append(crossed, box{u - h, v - 2*h, u + h, v + 2*h})
			}
		}
		if b, ok := slide(from, to-h, []float64{v + 3, v - h - 3}, w, h, inside, inWay, crossed, names); ok {
			names = append(names, b)
			e.lx, e.ly = back(b.x0, b.y0+2)
			e.labelled = true
			// Parts of a turned box, each upright: the whole would cover half the plot.
			for u := b.x0; u <= b.x1; u += h {
				x, y := back(u, (b.y0+b.y1)/2)
				upright = append(upright, around(x, y, h/2))
			}
		}
		p.slopes = append(p.slopes, e)
	}
	return upright
}

// turn is the angle of the slopes in degrees, as SVG turns.
func (p *picture) turn() float64 {
	return -math.Atan2(p.y.scale(), p.x.scale()) * 180 / math.Pi
}

// envelope is the outline of what the machine can do at most: under the fastest
// memory and the highest roof.
func (p *picture) envelope() (points [][2]float64) {
	if len(p.roofs) == 0 || len(p.slopes) == 0 {
		return nil
	}
	top := p.roofs[0]
	fast := p.slopes[0]
	for _, s := range p.slopes {
		if s.x1 < fast.x1 || s.x1 == fast.x1 && s.y0 < fast.y0 {
			fast = s
		}
	}
	return [][2]float64{{fast.x0, p.plot.y1}, {fast.x0, fast.y0}, {fast.x1, fast.y1}, {top.x0, top.y0}, {top.x1, top.y1}, {top.x1, p.plot.y1}}
}
