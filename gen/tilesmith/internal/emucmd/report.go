package emucmd

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
)

// An emuReport is what emu run found.
type emuReport struct {
	File     string
	Kernel   string
	Grid     [3]int
	Block    [3]int
	Shared   int
	Runs     int
	Fault    *emuFault
	Results  []*emuResult
	Counters emu.Report
}

// emuFault is a fault in JSON.
type emuFault struct {
	Kind    string      `json:"kind"`
	Line    int         `json:"line,omitempty"`
	Text    string      `json:"text,omitempty"`
	Source  string      `json:"source,omitempty"`
	Block   [3]int      `json:"block"`
	Thread  *[3]int     `json:"thread,omitempty"`
	Message string      `json:"message"`
	Seed    uint64      `json:"seed"`
	Other   *emu.Access `json:"other,omitempty"`
	Note    string      `json:"note,omitempty"`
}

func newEmuFault(f *emu.Fault, seed uint64) *emuFault {
	x := &emuFault{Kind: string(f.Kind), Line: f.Line, Text: f.Text, Source: f.Source, Block: f.Block, Message: f.Msg, Seed: seed, Other: f.Other, Note: f.Note}
	if f.Thread[0] >= 0 {
		x.Thread = &f.Thread
	}
	return x
}

// An emuResult is an array that the kernel wrote.
type emuResult struct {
	Argument  int     `json:"argument"` // from 1
	Text      string  `json:"text"`
	Type      string  `json:"type"`
	Shape     []int   `json:"shape"`
	Unwritten int64   `json:"unwritten_bytes"`
	Saved     string  `json:"saved,omitempty"`
	Wanted    string  `json:"wanted,omitempty"`
	Wrong     int     `json:"wrong"`
	Worst     float64 `json:"worst_difference"`
	Why       string  `json:"why,omitempty"`
	arg       *emuArg
	data      []byte
}

func (l *emuLaunch) newReport() *emuReport {
	return &emuReport{File: l.file, Kernel: l.kernel.Name, Grid: l.grid.Blocks, Block: l.grid.Threads, Shared: l.grid.Shared, Runs: l.o.seeds, Results: []*emuResult{}}
}

// result compares what a run wrote with what is wanted. A later run's takes the place of
// an earlier one's that was right.
func (r *emuReport) result(i int, a *emuArg, out []byte, first, unwritten int64, o emuFlags) error {
	x := &emuResult{Argument: i + 1, Text: a.text, Type: a.elem.name, Shape: a.shape, Unwritten: unwritten, Saved: a.save, Wanted: a.wantOf, arg: a, data: out}
	if a.shape == nil {
		x.Shape = []int{}
	}
	if a.want != nil {
		x.compare(first, o)
	}
	for k, old := range r.Results {
		if old.Argument == x.Argument {
			if old.Wrong == 0 {
				r.Results[k] = x
			}
			return nil
		}
	}
	r.Results = append(r.Results, x)
	return nil
}

// compare counts the elements that are not what is wanted.
func (x *emuResult) compare(first int64, o emuFlags) {
	e, want := &x.arg.elem, elemOfFile(x.arg.want.Kind)
	if e.size == want.size && e.npy == want.npy && e.value != nil {
		want = *e // its bits
	}
	n := len(x.data) / e.size
	for i := range n {
		got, wanted := e.bitsOf(x.data, i), want.bitsOf(x.arg.want.Data, i)
		diff := 0.0
		ok := true
		if e.integer && want.integer {
			ok = e.text(got) == want.text(wanted)
		} else {
			g, w := x.float(e, got), x.float(&want, wanted)
			switch {
			case g == w || math.IsNaN(g) && math.IsNaN(w):
			case math.IsNaN(g) || math.IsNaN(w) || math.IsInf(g, 0) || math.IsInf(w, 0):
				ok = false
			default:
				diff = math.Abs(g - w)
				ok = diff <= o.atol+o.rtol*math.Abs(w)
			}
		}
		x.Worst = max(x.Worst, min(diff, math.MaxFloat64)) // JSON has no infinity
		if !ok {
			if x.Wrong++; x.Wrong == 1 {
				x.Why = fmt.Sprintf("element %s is %s, want %s", index(i, x.arg.shape), e.text(got), want.text(wanted))
			}
		}
	}
	if x.Unwritten > 0 {
		i := int(first) / e.size
		x.Wrong = max(x.Wrong, 1)
		x.Why = fmt.Sprintf("element %s was never written", index(i, x.arg.shape))
	}
}

func (x *emuResult) float(e *emuElem, bits uint64) float64 {
	if !e.integer {
		return e.value(bits)
	}
	v, err := strconv.ParseFloat(e.text(bits), 64)
	if err != nil {
		panic(err) // of digits
	}
	return v
}

// index writes the coordinates of element i of an array.
func index(i int, shape []int) string {
	at := make([]string, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d] = strconv.Itoa(i % shape[d])
		i /= shape[d]
	}
	return "[" + strings.Join(at, ", ") + "]"
}

// mismatch is the error of results that are not what is wanted, or nil.
func (r *emuReport) mismatch() error {
	for _, x := range r.Results {
		if x.Wrong > 0 {
			return fmt.Errorf("argument %d, %s: %d of %d elements are not those of %s: %s", x.Argument, x.Text, x.Wrong, len(x.data)/x.arg.elem.size, x.Wanted, x.Why)
		}
	}
	return nil
}

// printAs prints the report. Information that needs no action goes to log.
func (r *emuReport) printAs(out, log io.Writer, o emuFlags) error {
	if o.form == cli.FormJSON {
		return r.json(out, o)
	}
	for _, x := range r.Results {
		if x.arg.print && r.Fault == nil {
			fmt.Fprintf(out, "argument %d, %s%v:\n", x.Argument, x.Type, x.Shape)
			x.arg.elem.print(out, x.data, x.arg.shape)
		}
		if x.Unwritten > 0 && x.Why == "" {
			fmt.Fprintf(log, "argument %d, %s: %d of %d bytes were never written\n", x.Argument, x.Text, x.Unwritten, len(x.data))
		}
	}
	if o.counters {
		if err := r.table(out); err != nil {
			return err
		}
	}
	if r.Fault == nil && r.mismatch() == nil {
		fmt.Fprintf(log, "%s: no fault%s\n", r.Kernel, orders(o))
	}
	return nil
}

// orders says in how many orders and with which checks a kernel ran.
func orders(o emuFlags) (s string) {
	if o.seeds > 1 {
		s = fmt.Sprintf(" in %d orders", o.seeds)
	}
	if o.device.NoChecks {
		s += ", but races and memory that was never written were not looked for"
	}
	return s
}

// maxPrinted is how many elements of an array are printed.
const maxPrinted = 256

// print writes elements, a row of the last dimension a line.
func (e *emuElem) print(out io.Writer, data []byte, shape []int) {
	row := 1
	if len(shape) > 0 {
		row = max(shape[len(shape)-1], 1)
	}
	n := len(data) / e.size
	for i := range min(n, maxPrinted) {
		end := " "
		if (i+1)%row == 0 || i+1 == n {
			end = "\n"
		}
		fmt.Fprint(out, e.text(e.bitsOf(data, i)), end)
	}
	if n > maxPrinted {
		fmt.Fprintf(out, "… %d more\n", n-maxPrinted)
	}
}

// table prints what instructions did: all of them, then the lines that did anything with
// memory or matrices.
func (r *emuReport) table(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "line\tinstructions\twavefronts\tleast\tsectors\tleast\tflops\tbarriers\t")
	row := func(name string, c *emu.Counts, text string) {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", name, c.Instructions, c.SharedWavefronts, c.SharedIdeal, c.GlobalSectors, c.GlobalIdeal, c.Flops, c.Barriers, text)
	}
	for i := range r.Counters.Kernels {
		k := &r.Counters.Kernels[i]
		row("all", &k.Counts, k.Name)
		for j := range k.Lines {
			if l := &k.Lines[j]; l.SharedWavefronts+l.GlobalSectors+l.Flops+l.Barriers > 0 {
				row(strconv.Itoa(l.Line), &l.Counts, l.Text)
			}
		}
	}
	return w.Flush()
}

// json prints everything as one object.
func (r *emuReport) json(out io.Writer, o emuFlags) error {
	x := struct {
		File    string       `json:"file"`
		Kernel  string       `json:"kernel"`
		Grid    [3]int       `json:"grid"`
		Block   [3]int       `json:"block"`
		Shared  int          `json:"shared"`
		Runs    int          `json:"runs"`
		OK      bool         `json:"ok"`
		Fault   *emuFault    `json:"fault,omitempty"`
		Results []*emuResult `json:"results"`
		emu.Counts
		Lines []emu.Line `json:"lines,omitempty"`
	}{File: r.File, Kernel: r.Kernel, Grid: r.Grid, Block: r.Block, Shared: r.Shared, Runs: r.Runs,
		OK: r.Fault == nil && r.mismatch() == nil, Fault: r.Fault, Results: r.Results}
	for _, k := range r.Counters.Kernels {
		if x.Counts = k.Counts; o.counters {
			x.Lines = append(x.Lines, k.Lines...)
		}
	}
	return cli.WriteJSON(out, x)
}
