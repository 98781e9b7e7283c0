package sweep

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/verify/page"
)

// Page is what package page draws of results: ceilings and bandwidths as measured, a
// mark for each kernel and workload, and for each peer. when and command are shown as they
// are.
func Page(m *Machine, results []Result, when, command string) page.Data {
	d := page.Data{
		Title: "Roofline", Subtitle: subtitle(m, results), When: when, Command: command,
		Machine: []page.Fact{
			{Name: "processor", Value: m.CPU}, {Name: "family, model", Value: m.Family + ", " + m.Model}, {Name: "cores", Value: fmt.Sprint(m.Cores)},
			{Name: "caches", Value: fmt.Sprintf("L1 %s, L2 %s, L3 %s", size(m.Caches.L1), size(m.Caches.L2), size(m.Caches.L3))},
			{Name: "system", Value: m.OS + "/" + m.Arch}, {Name: "Go", Value: m.Go},
		},
		Notes: []string{
			"Every product was compared with exact sums of small integers and with bounds for random numbers before it was timed.",
			"Intensity counts every operand and result once. Speeds are medians of runs that alternate with ceilings and libraries.",
		},
	}
	for _, p := range m.Peers {
		d.Peers = append(d.Peers, page.Fact{Name: p.Name, Value: line(p.Version) + ", " + p.runs() + " code"})
		if p.Note != "" {
			d.Notes = append(d.Notes, p.Name+": "+line(p.Note))
		}
	}
	for _, c := range m.Ceilings {
		name := c.Type + " " + c.ISA
		if c.Threads > 1 {
			name += fmt.Sprintf(", %d threads", c.Threads)
		}
		d.Roofs = append(d.Roofs, page.Roof{Name: name, GFLOPS: c.GFLOPS})
	}
	for _, l := range m.Levels {
		d.Slopes = append(d.Slopes, page.Slope{Name: l.Name, GBs: l.Read})
	}
	var theirs []page.Mark // after ours, so that they lie below
	for i := range results {
		r := &results[i]
		switch {
		case r.Mismatch != "":
			d.Notes = append(d.Notes, fmt.Sprintf("WRONG, and not timed: %s %s %s %v", r.Kernel, r.Types, r.ISA, r.Workload))
			continue
		case r.Skipped != "":
			continue
		}
		label := r.label()
		d.Marks = append(d.Marks, page.Mark{
			Series: r.Kernel + " " + r.Types + " " + r.ISA + threads(r.Threads), Label: label,
			Intensity: r.Intensity, GFLOPS: r.GFLOPS, Predicted: r.Predicted, Hover: r.facts(),
		})
		for _, p := range r.Peers {
			if p.Error == "" {
				theirs = append(theirs, page.Mark{Series: p.Name + " " + r.Types + threads(r.Threads), Label: label, Intensity: r.Intensity, GFLOPS: p.GFLOPS})
			}
		}
	}
	d.Marks = append(d.Marks, theirs...)
	if n := len(d.Marks) - page.MaxMarks; n > 0 {
		d.Marks = d.Marks[:page.MaxMarks]
		d.Notes = append(d.Notes, fmt.Sprintf("%d marks more than a picture can hold are in the tables only.", n))
	}
	if text := Noise(results); text != "" {
		d.Warnings = append(d.Warnings, text)
	}
	for _, g := range groups(results) {
		d.Tables = append(d.Tables, pageTable(m, g))
	}
	if e, n := MedianError(results); n > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("The median error of %d predictions for products of sizes from %d is %.1f %%.", n, leastPredicted, e))
	}
	return d
}

// subtitle is the processor and how it was used.
func subtitle(m *Machine, results []Result) string {
	s := m.CPU
	var how []string
	for _, r := range results {
		if x := r.ISA + threads(r.Threads); !slices.Contains(how, x) {
			how = append(how, x)
			s += "; " + x
		}
	}
	return s
}

func threads(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(", %d threads", n)
}

// label names a mark within its series.
func (p Workload) label() string {
	if p.Matrix == "" && p.M == p.N && p.N == p.K {
		if p.Op == "NN" {
			return fmt.Sprintf("n=%d", p.N)
		}
		return fmt.Sprintf("n=%d %s", p.N, p.Op)
	}
	return p.short()
}

// facts are told when a mark is pointed at.
func (r *Result) facts() []page.Fact {
	f := []page.Fact{
		{Name: "shape", Value: r.Workload.String()},
		{Name: "time", Value: fmt.Sprintf("%.4g us", r.Seconds*1e6)},
		{Name: "of the ceiling", Value: fmt.Sprintf("%.1f %%", 100*r.Share)},
		{Name: "bound", Value: fmt.Sprintf("%.1f GFLOP/s by %s", r.Bound, r.Binding)},
	}
	if r.Predicted > 0 {
		f = append(f, page.Fact{Name: "predicted", Value: fmt.Sprintf("%.1f GFLOP/s, most of it %s", r.Predicted, r.Because)})
	}
	for _, p := range r.Peers {
		if p.Error == "" {
			f = append(f, page.Fact{Name: "than " + p.Name, Value: ratio(p.Ratio)})
		}
	}
	return f
}

// pageTable has one line a point, with the columns that some line fills.
func pageTable(m *Machine, g group) page.Table {
	t := page.Table{
		Title:  g.kernel + ", " + g.isa + threads(g.threads),
		Header: []string{"type", "shape, n or m x n x k", "us", "GFLOP/s", "of ceiling", "flop/byte", "bound, GFLOP/s", "by"},
	}
	predicted := slices.ContainsFunc(g.results, func(r Result) bool { return r.Predicted > 0 })
	if predicted {
		t.Header = append(t.Header, "predicted, GFLOP/s", "by")
	}
	var peers []string
	for _, p := range m.Peers {
		if slices.ContainsFunc(g.results, func(r Result) bool { return r.peer(p.Name) != nil }) {
			peers = append(peers, p.Name)
			t.Header = append(t.Header, "times "+p.Name)
		}
	}
	for i := range g.results {
		r := &g.results[i]
		row := []string{r.Types, r.short(), number(r.Seconds * 1e6), speed(r.GFLOPS), fmt.Sprintf("%.0f %%", 100*r.Share), number(r.Intensity), speed(r.Bound), r.Binding}
		switch {
		case r.Predicted > 0:
			row = append(row, speed(r.Predicted), r.Because)
		case predicted:
			row = append(row, "", "")
		}
		for _, name := range peers {
			if q := r.peer(name); q != nil {
				row = append(row, ratio(q.Ratio))
			} else {
				row = append(row, "")
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
