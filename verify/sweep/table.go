package sweep

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Style is what text in a [Table] is, for a terminal that has colours.
type Style string

const (
	Head  Style = "head"  // names of columns
	Good  Style = "good"  // near the ceiling, or faster than a library
	Minor Style = "minor" // not measured, or to know
	Wrong Style = "wrong" // a mismatch
)

// Table is a [Sink] that writes results for a reader, a line for each as it comes. Columns
// name their units.
type Table struct {
	W io.Writer
	// Style colours text; nil: none is.
	Style func(s Style, text string) string

	peers []Peer
	begun bool
}

// column is one of the table: its name, with the unit, and its width.
type column struct {
	name  string
	width int // negative: to the left
}

func (t *Table) columns() []column {
	all := []column{{"kernel", -10}, {"types", -5}, {"isa", -6}, {"n or m x n x k", -22}, {"threads", 7}, {"time, us", 10}, {"GFLOP/s", 8},
		{"of ceiling, %", 13}, {"predicted, GFLOP/s", 18}}
	for _, p := range t.peers {
		name := "times " + p.Name
		all = append(all, column{name, max(len(name), 8)})
	}
	return all
}

// row sets cells below the names; the last one may be longer.
func (t *Table) row(cells []string, style func(i int) Style) string {
	var b strings.Builder
	for i, c := range t.columns() {
		if i >= len(cells) {
			break
		}
		text := fmt.Sprintf("%*s", c.width, cells[i])
		if s := style(i); s != "" && t.Style != nil {
			text = t.Style(s, text)
		}
		if b.WriteString(text); i < len(cells)-1 {
			b.WriteString("  ")
		}
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}

// Machine writes what the machine is, its peers, and the names of columns.
func (t *Table) Machine(m *Machine) error {
	var b strings.Builder
	if !t.begun {
		fmt.Fprintf(&b, "%v\n", m)
		for _, c := range m.Ceilings {
			fmt.Fprintf(&b, "ceiling of %s, %s, %s: %.1f GFLOP/s by %s\n", c.Type, c.ISA, plural(c.Threads, "thread"), c.GFLOPS, c.By)
		}
		for _, p := range m.Peers {
			fmt.Fprintf(&b, "%s: %s, %s code\n", p.Name, line(p.Version), p.runs())
		}
	}
	t.begun, t.peers = true, m.Peers
	var names []string
	for _, c := range t.columns() {
		names = append(names, c.name)
	}
	b.WriteString("\n" + t.row(names, func(int) Style { return Head }))
	_, err := io.WriteString(t.W, b.String())
	return err
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// near the ceiling there is little to gain.
const near = .9

// Result writes a line.
func (t *Table) Result(r *Result) error {
	cells := []string{r.Kernel, r.Types, r.ISA, r.short(), fmt.Sprint(r.Threads)}
	style := func(int) Style { return "" }
	switch {
	case r.Mismatch != "":
		cells = append(cells, "MISMATCH: "+firstLine(r.Mismatch))
		style = func(int) Style { return Wrong }
	case r.Skipped != "":
		cells = append(cells, "skipped: "+firstLine(r.Skipped))
		style = func(int) Style { return Minor }
	default:
		predicted := "-"
		if r.Predicted > 0 {
			predicted = speed(r.Predicted)
		}
		cells = append(cells, number(r.Seconds*1e6), speed(r.GFLOPS), fmt.Sprintf("%.0f", 100*r.Share), predicted)
		n := len(cells)
		good := make([]bool, n)
		good[n-2] = r.Share >= near
		for _, p := range t.peers {
			q := r.peer(p.Name)
			if q == nil {
				cells, good = append(cells, "-"), append(good, false)
				continue
			}
			cells, good = append(cells, strings.TrimSuffix(ratio(q.Ratio), "x")), append(good, q.Ratio >= 1)
		}
		style = func(i int) Style {
			if good[i] {
				return Good
			}
			return ""
		}
	}
	if _, err := io.WriteString(t.W, t.row(cells, style)); err != nil {
		return err
	}
	for _, p := range r.Peers {
		if p.Error != "" {
			text := fmt.Sprintf("%s is wrong there, and was not timed: %s", p.Name, firstLine(p.Error))
			if t.Style != nil {
				text = t.Style(Minor, text)
			}
			if _, err := fmt.Fprintf(t.W, "  %s\n", text); err != nil {
				return err
			}
		}
	}
	return nil
}

func firstLine(s string) string {
	first, _, _ := strings.Cut(s, "\n")
	return first
}

// End writes what columns mean and a summary.
func (t *Table) End(results []Result) error {
	var b strings.Builder
	b.WriteString("\nof ceiling: of products from registers, measured beside it")
	if slices.ContainsFunc(results, func(r Result) bool { return r.Predicted > 0 }) {
		b.WriteString("; predicted: by a model")
	}
	if len(t.peers) > 0 {
		b.WriteString("; times NAME: our speed over that of a library")
	}
	b.WriteString("\n")
	if e, n := MedianError(results); n > 0 {
		fmt.Fprintf(&b, "predictions: median error %.1f %% over %d dense products of sizes from %d\n", e, n, leastPredicted)
	}
	for _, p := range t.peers {
		if p.Note != "" {
			fmt.Fprintf(&b, "%s: %s\n", p.Name, line(p.Note))
		}
	}
	if text := Noise(results); text != "" {
		if t.Style != nil {
			text = t.Style(Minor, text)
		}
		fmt.Fprintf(&b, "%s\n", text)
	}
	_, err := io.WriteString(t.W, b.String())
	return err
}
