package page

// entry is one name of the legend at its place.
type entry struct {
	text          string
	x, y          float64
	shape, colour int
	hollow        bool // the entry that explains predictions
}

// legend sets the series in rows under the picture and returns the height of
// everything. One series without a name needs no legend.
func (p *picture) legend() ([]entry, float64) {
	var all []entry
	for i, name := range p.series {
		if name == "" && len(p.series) == 1 {
			continue
		}
		shape, colour := look(i)
		all = append(all, entry{text: name, shape: shape, colour: colour})
	}
	for _, m := range p.marks {
		if m.predicted != 0 {
			all = append(all, entry{text: "hollow: predicted", colour: 6, hollow: true})
			break
		}
	}
	if len(all) == 0 {
		return nil, p.height
	}
	const row, symbol, space = 21, 14, 20
	left, right := p.left, p.width-14
	x, y := left, p.height+12
	for i := range all {
		e := &all[i]
		e.text = shorten(e.text, p.font, min(320, right-left-symbol))
		w := symbol + width(e.text, p.font)
		if x > left && x+w > right {
			x, y = left, y+row
		}
		e.x, e.y = x, y
		x += w + space
	}
	return all, y + row
}

// entry prints one name of the legend.
func (p *printer) entry(e entry) {
	class := raw("solid")
	if e.hollow {
		class = "hollow"
	}
	p.f(`<g class="m c%v"><path class="%v" transform="translate(%v %v)" d="%v"/></g><text x="%v" y="%v">%v</text>`+"\n",
		e.colour, class, e.x+5, e.y-4.5, shapes[e.shape], e.x+14, e.y, e.text)
}
