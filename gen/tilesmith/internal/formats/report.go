package formats

import (
	"fmt"
	"io"
	"strconv"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/advise"
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// formatsReport is what the command prints; times are seconds.
type formatsReport struct {
	File     string         `json:"file"`
	Rows     int            `json:"rows"`
	Cols     int            `json:"cols"`
	Entries  int            `json:"entries"`
	Features int            `json:"features"`
	Type     string         `json:"type"`
	ISA      string         `json:"isa"`
	Threads  int            `json:"threads"`
	Machine  string         `json:"machine"`
	Formats  []formatReport `json:"formats"`
	Choice   string         `json:"choice"`
	Reason   string         `json:"reason"`
	Balance  string         `json:"balance"`
	Fastest  string         `json:"fastest,omitempty"` // measured
	Regret   *float64       `json:"regret,omitempty"`  // time of the choice over the fastest's, less 1
}

type formatReport struct {
	Name      string   `json:"name"`
	Padding   float64  `json:"padding"` // part of the slots
	Bytes     int64    `json:"bytes"`
	Predicted float64  `json:"predicted"`
	Least     bool     `json:"predicted_is_least,omitempty"` // instructions alone take so long
	Bound     string   `json:"bound,omitempty"`
	Memory    int64    `json:"memory_bytes"`       // of a product, to and from memory
	Measured  *float64 `json:"measured,omitempty"` // one product, median
	Convert   float64  `json:"convert_predicted"`  // in products in compressed rows
	Converted *float64 `json:"convert,omitempty"`  // measured
	Why       string   `json:"why_not,omitempty"`
	Untimed   string   `json:"not_timed,omitempty"` // why
}

func newReport(file string, t dtype.Type, o formatsFlags, a advise.Advice) formatsReport {
	r := formatsReport{File: file, Rows: a.Rows, Cols: a.Cols, Entries: a.NNZ, Features: a.Features, Type: t.String(),
		ISA: o.isa, Threads: o.threads, Machine: a.Machine.String(), Choice: a.Best.Name, Reason: a.Reason, Balance: a.Balance.String()}
	for _, c := range a.Candidates {
		f := formatReport{Name: c.Name, Padding: c.Padding, Bytes: c.Bytes, Predicted: c.Seconds, Least: c.Least,
			Memory: c.Traffic.Sum()[machine.Memory], Convert: c.Convert, Why: c.Why}
		if !c.Least {
			f.Bound = c.Bound
		}
		r.Formats = append(r.Formats, f)
	}
	return r
}

// printAs prints the report in a form.
func (r *formatsReport) printAs(out io.Writer, as cli.Form) error {
	switch as {
	case cli.FormJSON:
		return cli.WriteJSON(out, r)
	case cli.FormCSV:
		var rows [][]any // what was not measured is empty
		for _, f := range r.Formats {
			rows = append(rows, []any{r.File, r.Rows, r.Cols, r.Entries, r.Features, r.Type, r.ISA, r.Threads,
				f.Name, f.Name == r.Choice, f.Padding, f.Bytes, f.Predicted, f.Least, f.Bound, f.Measured, f.Convert, f.Converted, f.Why})
		}
		return cli.WriteCSV(out, "file,rows,cols,entries,features,type,isa,threads,"+
			"format,choice,padding,bytes,predicted_seconds,predicted_is_least,bound,measured_seconds,convert_predicted_products,convert_products,why_not", rows)
	}
	return r.print(out)
}

func (r *formatsReport) print(out io.Writer) error {
	fmt.Fprintf(out, "%s: %d x %d with %d entries; %d features of %s, %s, %s\non %s\n\n",
		r.File, r.Rows, r.Cols, r.Entries, r.Features, r.Type, r.ISA, Threads(r.Threads), r.Machine)
	const heads = "format\tpadding\tbytes\tconvert\tpredicted\tmeasured\tbound\twhy not"
	if err := cost.Rows(out, heads, r.Formats, func(f formatReport) bool { return f.Name == r.Choice }, formatReport.row); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nchoice: %s\nbalance: %s\n", r.Reason, r.Balance)
	if r.Regret != nil {
		fmt.Fprintf(out, "measured: %s is fastest; the choice takes %.1f %% longer\n", r.Fastest, 100**r.Regret)
	}
	_, err := fmt.Fprint(out, reportText)
	return err
}

// row is a line of the report.
func (f formatReport) row() (cells, why string) {
	least, convert, measured, why := "", "~"+products(f.Convert), "-", f.Why
	if f.Least {
		least = ">"
	}
	if f.Converted != nil {
		convert = products(*f.Converted)
	}
	if f.Measured != nil {
		measured = cost.Seconds(*f.Measured)
	}
	if f.Untimed != "" {
		why += " (not timed: " + f.Untimed + ")"
	}
	return fmt.Sprintf("%s\t%.1f %%\t%s\t%s\t%s%s\t%s\t%s", f.Name, 100*f.Padding, cost.Bytes(f.Bytes), convert, least, cost.Seconds(f.Predicted), measured, f.Bound), why
}

// reportText says what the columns of a report are.
const reportText = `
padding is the part of the slots without an entry; bytes is structure and values; convert is what conversion from
compressed rows takes, in products in compressed rows, and ~ before it is the model's.
predicted is what the model says that one product takes, and > before it a bound from below: the instructions alone
take so long, which is more than the choice takes in all, so that nothing else was reckoned. bound is what most of the
time goes to: instructions, the bytes from L2, L3 or memory, jumps that are not foreseen, or calls.
`

// Threads prints a number of threads.
func Threads(n int) string {
	if n == 1 {
		return "1 thread"
	}
	return strconv.Itoa(n) + " threads"
}

// products prints a time in units of a product.
func products(x float64) string {
	if x < 10 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
