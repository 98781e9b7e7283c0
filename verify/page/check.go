package page

import (
	"fmt"
	"slices"
)

// drawable reports whether v has a place on a logarithmic axis.
func drawable(v float64) bool { return v >= Least && v <= Most } // false for NaN

// item is the bytes counted for an entry of a list in addition to its text: an empty
// one is not free.
const item = 16

// check refuses what is too large for a page.
func check(d *Data) error {
	cells, text := 0, 0
	add := func(s ...string) {
		for _, s := range s {
			text += len(s)
		}
	}
	facts := func(f []Fact) {
		for _, f := range f {
			add(f.Name, f.Value)
			text += item
		}
	}
	add(d.Title, d.Subtitle, d.When, d.Command)
	facts(d.Machine)
	facts(d.Peers)
	for _, n := range slices.Concat(d.Warnings, d.Notes) {
		add(n)
		text += item
	}
	for _, r := range d.Roofs {
		add(r.Name)
	}
	for _, s := range d.Slopes {
		add(s.Name)
	}
	series := map[string]bool{}
	for _, m := range d.Marks {
		add(m.Series, m.Label)
		facts(m.Hover)
		series[m.Series] = true
	}
	for _, t := range d.Tables {
		add(t.Title, t.Note)
		add(t.Header...)
		for _, r := range t.Rows {
			add(r...)
		}
		cells += max(1, columns(t)) * (1 + len(t.Rows))
	}
	for _, l := range []struct {
		what      string
		have, max int
	}{
		{"marks", len(d.Marks), MaxMarks}, {"series", len(series), MaxSeries},
		{"roofs", len(d.Roofs), MaxRoofs}, {"slopes", len(d.Slopes), MaxSlopes},
		{"table cells", cells, MaxCells}, {"bytes of text", text, MaxText},
	} {
		if l.have > l.max {
			return fmt.Errorf("page: %d %s, a page holds at most %d: sweep fewer shapes, or write several pages", l.have, l.what, l.max)
		}
	}
	return nil
}

// columns is the width of a table.
func columns(t Table) int {
	n := len(t.Header)
	for _, r := range t.Rows {
		n = max(n, len(r))
	}
	return n
}

// keep returns d with only what can be drawn, and a sentence for everything else.
func keep(d Data) (Data, []string) {
	var left []string
	drop := func(v float64, unit, format string, args ...any) {
		left = append(left, fmt.Sprintf(format, args...)+fmt.Sprintf(": %v %s", v, unit))
	}
	var roofs []Roof
	for _, r := range d.Roofs {
		if drawable(r.GFLOPS) {
			roofs = append(roofs, r)
		} else {
			drop(r.GFLOPS, "GFLOP/s", "ceiling %s", r.Name)
		}
	}
	var slopes []Slope
	for _, s := range d.Slopes {
		if drawable(s.GBs) {
			slopes = append(slopes, s)
		} else {
			drop(s.GBs, "GB/s", "bandwidth of %s", s.Name)
		}
	}
	var marks []Mark
	for _, m := range d.Marks {
		switch {
		case !drawable(m.Intensity):
			drop(m.Intensity, "flop/byte", "%s %s", m.Series, m.Label)
			continue
		case !drawable(m.GFLOPS):
			drop(m.GFLOPS, "GFLOP/s", "%s %s", m.Series, m.Label)
			continue
		case m.Predicted != 0 && !drawable(m.Predicted):
			drop(m.Predicted, "GFLOP/s", "prediction for %s %s", m.Series, m.Label)
			m.Predicted = 0
		}
		marks = append(marks, m)
	}
	d.Roofs, d.Slopes, d.Marks = roofs, slopes, marks
	return d, left
}
