package page

import (
	"fmt"
	"math"
)

// maxLabels bounds how many marks are labelled in the picture: with more, the labels
// are all that is seen.
const maxLabels = 40

// labelMarks writes labels beside marks where there is room. Marks with the same
// label above each other, a size measured by several libraries, share the label of
// the highest.
func (p *picture) labelMarks(taken []box) {
	type stack struct {
		label string
		x     int
	}
	highest := map[stack]int{}
	var order []stack
	for i, m := range p.marks {
		s := stack{m.Label, int(math.Round(m.x))}
		j, seen := highest[s]
		if !seen {
			order = append(order, s)
		}
		if !seen || m.y < p.marks[j].y {
			highest[s] = i
		}
	}
	busy := taken
	for _, m := range p.marks {
		busy = append(busy, around(m.x, m.y, 6))
		if m.predicted != 0 {
			busy = append(busy, around(m.x, m.predicted, 5))
		}
	}
	for _, r := range p.roofs {
		busy = append(busy, box{r.x0, r.y0 - 1, r.x1, r.y1 + 1})
	}
	const size = 11
	placed := 0
	for _, s := range order {
		m := &p.marks[highest[s]]
		if s.label == "" || placed == maxLabels {
			continue
		}
		text := shorten(m.Label, size, 120)
		w := width(text, size)
		for _, c := range []struct {
			x, y   float64 // of the text's anchor, its baseline
			from   float64
			anchor raw
		}{
			{m.x, m.y - 9, m.x - w/2, "middle"},
			{m.x + 8, m.y + 4, m.x + 8, "start"},
			{m.x, m.y + 17, m.x - w/2, "middle"},
			{m.x - 8, m.y + 4, m.x - 8 - w, "end"},
		} {
			b := box{c.from, c.y - 9, c.from + w, c.y + 2}
			if !b.within(p.plot) || meets(b, busy) > 0 {
				continue
			}
			m.label, m.lx, m.ly, m.anchor = text, c.x, c.y, c.anchor
			busy = append(busy, b.grown(2))
			placed++
			break
		}
	}
}

// tell is what is told when a mark is pointed at: a line a fact.
func tell(m *Mark) string {
	s := m.Series
	if m.Label != "" {
		s += "  " + m.Label
	}
	s += fmt.Sprintf("\n%s GFLOP/s at %s flop/byte", number(m.GFLOPS), number(m.Intensity))
	if m.Predicted != 0 {
		s += fmt.Sprintf("\npredicted %s GFLOP/s (%+.1f %%)", number(m.Predicted), 100*(m.Predicted/m.GFLOPS-1))
	}
	for _, f := range m.Hover {
		s += "\n" + f.Name + ": " + f.Value
	}
	return s
}
