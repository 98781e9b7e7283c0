package sweep

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Markdown writes results as the tables of docs/speed.md, below a heading with the processor, the machine and
// the command that measured. For each workload and type they have our GFLOP/s, their share of the ceiling,
// and how many times as fast as each peer we are.
func Markdown(w io.Writer, m *Machine, results []Result, command string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\n\n%s. Measured with `%s`.\n", MachineHeading, cell(m.processor()), cell(m.String()), cell(command))
	for _, group := range groups(results) {
		writeTable(&b, m, group)
	}
	var notes []string
	for _, p := range m.Peers {
		if slices.ContainsFunc(results, func(r Result) bool { return r.peer(p.Name) != nil }) {
			notes = append(notes, cell(p.Name+" is "+line(p.Version)+", "+p.runs()+" code"))
			if p.Note != "" {
				notes = append(notes, cell(p.Name+": "+line(p.Note)))
			}
		}
	}
	if notes != nil {
		fmt.Fprintf(&b, "\n%s.\n", strings.Join(notes, "; "))
	}
	if text := Noise(results); text != "" {
		fmt.Fprintf(&b, "\nNot quiet: %s.\n", text)
	}
	if e, n := MedianError(results); n > 0 {
		fmt.Fprintf(&b, "\nMedian error of the predicted speed over %d products of sizes from %d: %.1f %%.\n", n, leastPredicted, e)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// MachineHeading begins the line above what was measured on one processor.
const MachineHeading = "### "

// peer returns the result of a peer, nil if it was not timed.
func (r *Result) peer(name string) *PeerResult {
	for i := range r.Peers {
		if r.Peers[i].Name == name && r.Peers[i].Error == "" {
			return &r.Peers[i]
		}
	}
	return nil
}

// A group is what makes one table: a kernel, by variant and number of threads.
type group struct {
	kernel, isa string
	threads     int
	results     []Result
}

func groups(results []Result) []group {
	var all []group
	for _, r := range results {
		if !r.Timed() {
			continue
		}
		i := slices.IndexFunc(all, func(g group) bool { return g.kernel == r.Kernel && g.isa == r.ISA && g.threads == r.Threads })
		if i < 0 {
			i = len(all)
			all = append(all, group{r.Kernel, r.ISA, r.Threads, nil})
		}
		all[i].results = append(all[i].results, r)
	}
	return all
}

func writeTable(b *strings.Builder, m *Machine, g group) {
	var types, workloads []string
	at := map[[2]string]*Result{}
	for i := range g.results {
		r := &g.results[i]
		if workload := r.short(); !slices.Contains(workloads, workload) {
			workloads = append(workloads, workload)
		}
		if !slices.Contains(types, r.Types) {
			types = append(types, r.Types)
		}
		at[[2]string{r.short(), r.Types}] = r
	}
	head := []string{g.kernel + ", " + g.isa + ", n or m x n x k"}
	if g.threads > 1 {
		head[0] += fmt.Sprintf(", %d threads", g.threads)
	}
	var columns [][2]string // type and peer
	for _, t := range types {
		head = append(head, t+" GFLOP/s", "of ceiling")
		for _, p := range m.Peers {
			if slices.ContainsFunc(g.results, func(r Result) bool { return r.Types == t && r.peer(p.Name) != nil }) {
				head, columns = append(head, "times "+cell(p.Name)), append(columns, [2]string{t, p.Name})
			}
		}
	}
	fmt.Fprintf(b, "\n| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for _, workload := range workloads {
		row := []string{workload}
		for _, t := range types {
			r := at[[2]string{workload, t}]
			if r == nil {
				row = append(row, "", "")
			} else {
				row = append(row, speed(r.GFLOPS), fmt.Sprintf("%.0f %%", 100*r.Share))
			}
			for _, c := range columns {
				if c[0] != t {
					continue
				}
				if r == nil || r.peer(c[1]) == nil {
					row = append(row, "")
				} else {
					row = append(row, ratio(r.peer(c[1]).Ratio))
				}
			}
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
}

// short names a workload in as few words as do: 256 for the square product of operands as
// they are.
func (p Workload) short() string {
	s := fmt.Sprintf("%d x %d x %d", p.M, p.N, p.K)
	switch {
	case p.Matrix == given:
		s += fmt.Sprintf(", %d a row", perRow)
	case p.Matrix != "":
		s = fmt.Sprintf("%s, %d", p.Matrix, p.N)
	case p.M == p.N && p.N == p.K:
		s = fmt.Sprint(p.N)
	}
	if p.Op != "" && p.Op != "NN" {
		s += " " + p.Op
	}
	return s
}

func speed(x float64) string {
	if x >= 20 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.1f", x)
}

func ratio(x float64) string {
	if x >= 10 {
		return fmt.Sprintf("%.0fx", x)
	}
	return fmt.Sprintf("%.2fx", x)
}

// cell is text that ends no cell and begins no markup.
func cell(s string) string { return strings.NewReplacer("|", "\\|", "`", "'", "<", "&lt;").Replace(s) }
