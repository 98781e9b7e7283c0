package page

import (
	_ "embed"
	"fmt"
	"io"
)

//go:embed roofline.css
var rooflineFile string

var rooflineCSS = unix(rooflineFile)

// SVG writes the picture alone, as a file for a README or a slide. It has a title and
// its own colours for a light and a dark background, and refers to nothing. It refuses
// what [Write] refuses.
func SVG(w io.Writer, d Data) error {
	if err := check(&d); err != nil {
		return err
	}
	d, left := keep(d)
	var p printer
	f := wide
	f.alone = true
	f.top += 30
	f.height += 30
	if d.Subtitle != "" {
		f.top += 20
		f.height += 20
	}
	p.picture(&d, f, len(left))
	_, err := w.Write(p.Bytes())
	return err
}

// picture prints d in a frame. The classes are those of roofline.css.
func (p *printer) picture(d *Data, f frame, left int) {
	a := arrange(d, f)
	entries, height := a.legend()
	if left > 0 && f.alone {
		height += 20
	}
	p.f(`<svg xmlns="http://www.w3.org/2000/svg" class="roofline %v" viewBox="0 0 %v %v"`, f.class, f.width, height)
	title := "Roofline"
	if d.Title != "" {
		title = d.Title
	}
	if f.alone {
		p.f(` width="%v" height="%v" role="img">`+"\n<title>%v</title>\n<style>\n%v</style>\n", f.width, height, title, raw(rooflineCSS))
		p.f(`<rect class="paper" width="%v" height="%v" rx="6"/>`+"\n", f.width, height)
		p.f(`<text class="title" x="%v" y="30">%v</text>`+"\n", 18.0, shorten(title, 20, f.width-36))
		if d.Subtitle != "" {
			p.f(`<text class="muted" x="%v" y="51">%v</text>`+"\n", 18.0, shorten(d.Subtitle, 13, f.width-36))
		}
	} else {
		p.f(` role="group" aria-label="%v">`+"\n", "Roofline: "+title)
	}
	p.grid(a)
	p.ceilings(a)
	for i := len(a.marks) - 1; i >= 0; i-- { // the first series comes to lie on top
		p.mark(&a.marks[i], !f.alone)
	}
	p.WriteString("<g class=\"on\" aria-hidden=\"true\">\n")
	for _, m := range a.marks {
		if m.label != "" {
			p.f(`<text class="on halo" x="%v" y="%v" text-anchor="%v">%v</text>`+"\n", m.lx, m.ly, m.anchor, m.label)
		}
	}
	p.WriteString("</g>\n")
	for _, e := range entries {
		p.entry(e)
	}
	if left > 0 && f.alone {
		p.f(`<text class="muted" x="%v" y="%v">%v</text>`+"\n", a.plot.x0, height-12, fmt.Sprintf("%d values left out: not finite, or not above zero", left))
	}
	p.WriteString("</svg>\n")
}

// grid prints the lines and numbers of the axes and their names.
func (p *printer) grid(a *picture) {
	across := a.x.octaves(a.tick)
	up := a.y.decades(a.font * 1.6)
	p.WriteString("<g>\n")
	for _, class := range []raw{"fine", "grid"} { // fine lines below the others
		p.f(`<path class="%v" d="`, class)
		for _, t := range across {
			if (t.text == "") == (class == "fine") {
				p.f("M%v %vV%v", a.x.at(t.log), a.plot.y0, a.plot.y1)
			}
		}
		for _, t := range up {
			if (t.text == "") == (class == "fine") {
				p.f("M%v %vH%v", a.plot.x0, a.y.at(t.log), a.plot.x1)
			}
		}
		p.WriteString("\"/>\n")
	}
	p.f(`<path class="axis" d="M%v %vV%vH%v"/>`+"\n", a.plot.x0, a.plot.y0, a.plot.y1, a.plot.x1)
	for _, t := range across {
		if t.text != "" {
			p.f(`<text class="tick" x="%v" y="%v" text-anchor="middle">%v</text>`+"\n", a.x.at(t.log), a.plot.y1+18, t.text)
		}
	}
	for _, t := range up {
		if t.text != "" {
			p.f(`<text class="tick" x="%v" y="%v" text-anchor="end">%v</text>`+"\n", a.plot.x0-7, a.y.at(t.log)+4, t.text)
		}
	}
	p.f(`<text x="%v" y="%v" text-anchor="middle">arithmetic intensity, flop/byte</text>`+"\n", (a.plot.x0+a.plot.x1)/2, a.plot.y1+40)
	p.f(`<text transform="translate(%v %v) rotate(-90)" text-anchor="middle">speed, GFLOP/s</text>`+"\n</g>\n", 14.0, (a.plot.y0+a.plot.y1)/2)
}

// ceilings prints roofs and slopes with their names.
func (p *printer) ceilings(a *picture) {
	p.WriteString("<g>\n")
	if e := a.envelope(); e != nil {
		p.WriteString(`<path class="under" d="`)
		for i, at := range e {
			p.f("%v%v %v", raw("ML"[min(i, 1):][:1]), at[0], at[1])
		}
		p.WriteString("z\"/>\n")
	}
	for _, s := range a.slopes {
		p.f(`<path class="slope" d="M%v %vL%v %v"><title>%v</title></path>`+"\n", s.x0, s.y0, s.x1, s.y1, s.told)
	}
	for _, r := range a.roofs {
		p.f(`<path class="roof" d="M%v %vH%v"><title>%v</title></path>`+"\n", r.x0, r.y0, r.x1, r.told)
		p.f(`<path class="lead" d="M%v %vl5 0L%v %vh4"/>`+"\n", r.x1, r.y1, a.plot.x1+a.gutter-7, r.ly)
		if a.twoLines {
			p.f(`<text class="name" x="%v" y="%v">%v</text><text class="muted" x="%[1]v" y="%[4]v">%[5]v</text>`+"\n", r.lx, r.ly-1, r.name, r.ly+a.font, r.value)
		} else {
			p.f(`<text x="%v" y="%v"><tspan class="name">%v</tspan><tspan class="muted" dx="8">%v</tspan></text>`+"\n", r.lx, r.ly+4.5, r.name, r.value)
		}
	}
	for _, s := range a.slopes {
		if s.labelled {
			p.f(`<text class="muted halo" transform="translate(%v %v) rotate(%v)">%v</text>`+"\n", s.lx, s.ly, a.turn(), s.name)
		}
	}
	p.WriteString("</g>\n")
}

// mark prints one mark; in a page it can be reached by the keyboard.
func (p *printer) mark(m *dot, focus bool) {
	shape, colour := look(m.series)
	p.f(`<g class="m c%v"`, colour)
	if focus {
		p.WriteString(` tabindex="0" role="img"`)
	}
	p.f("><title>%v</title>", tell(m.Mark))
	p.f(`<path class="solid" transform="translate(%v %v)" d="%v"/>`, m.x, m.y, shapes[shape])
	if m.predicted != 0 {
		p.f(`<path class="join" d="M%v %vV%v"/><path class="hollow" transform="translate(%[1]v %[3]v)" d="%[4]v"/>`,
			m.x, m.y, m.predicted, shapes[shape])
	}
	p.WriteString("</g>\n")
}
