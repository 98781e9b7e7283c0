package distcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/cpu/dist/parts"
	"github.com/tilesmith/tilesmith/cpu/dist/spmm"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/formats"
	"github.com/tilesmith/tilesmith/internal/outfile"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/part"
	"github.com/tilesmith/tilesmith/tiling/cost"
)

// distPlanFlags is the command line of dist plan.
type distPlanFlags struct {
	distFlags
	method           string // what is written is of it
	write, owns, svg string
}

// distPlanCommand compares ways to spread a product.
func distPlanCommand() *cobra.Command {
	var o distPlanFlags
	var asked func() (cli.Form, error)
	c := cli.NewCommand("plan FILE.mtx [FLAGS]", "predict what each way to spread a product sends and how long it takes, and say which to use",
		cli.Exactly(1, "dist plan takes one file, as in: tilesmith dist plan cora.mtx --ranks 8 --features 128"), func(c *cobra.Command, args []string) (err error) {
			if o.form, err = asked(); err != nil {
				return err
			}
			if err := o.check(); err != nil {
				return cli.Usage(err)
			}
			if o.element == "f64" {
				return distPlan[float64](cli.ConsoleOf(c), args[0], o)
			}
			return distPlan[float32](cli.ConsoleOf(c), args[0], o)
		})
	flags := c.Flags()
	o.declare(c, 8)
	flags.DurationVar(&o.latency, "latency", 2*time.Microsecond, "of a message")
	flags.StringVar(&o.bandwidth, "bandwidth", "10GB/s", "of a rank")
	flags.StringVar(&o.method, "method", "", "the way that is written: rows, hypergraph or cover (default: the fastest of these)")
	flags.StringVar(&o.write, "write", "", "write a file for each rank, PREFIX.0-of-8.part ..., for dist run --parts and parts.Open")
	flags.StringVar(&o.owns, "owners", "", "write who owns which row, a line each, as hMETIS, METIS and KaHyPar do")
	flags.StringVar(&o.svg, "svg", "", "write a picture of the matrix in the order of its parts")
	asked = cli.FormFlags(c, "one JSON object", cli.FormTable, cli.FormCSV, cli.FormJSON)
	cli.Values(c, "method", "rows", "hypergraph", "cover")
	return c
}

func (o *distPlanFlags) check() error {
	if err := o.distFlags.check(); err != nil {
		return err
	}
	switch o.method {
	case "", "rows", "hypergraph", "cover":
		if o.bandwidth == "" {
			return errors.New("--bandwidth is empty; " + rateOf)
		}
		return nil
	}
	return fmt.Errorf("--method %s; rows, hypergraph or cover", o.method)
}

func distPlan[T dtype.Float](con *cli.Console, file string, o distPlanFlags) error {
	if err := cli.CheckOutputs([]string{o.owns, o.svg}, file); err != nil {
		return err
	}
	defer con.Bar.Stop()
	con.Bar.Say("reading %s", file)
	var m sparse.Matrix[T]
	var found spmm.Comparison
	err := cli.Abandon(con.Ctx, func() (err error) {
		if m, err = formats.ReadMatrix[T](file, o.maxDim, con.Log); err != nil {
			return err
		}
		con.Bar.Say("dividing %s among %d ranks", file, o.ranks)
		found, err = methods(m, &o.distFlags)
		return err
	})
	con.Bar.Stop()
	if con.Ctx.Err() != nil {
		return fmt.Errorf("%w while %s was read and divided", context.Cause(con.Ctx), file)
	}
	if err != nil {
		return err
	}
	r := newDistReport(filepath.Base(file), m, o, found)
	err = writeParts(con, m, chosen(found, o.method), &o) // first: who reads the table may go before its end
	return errors.Join(r.printAs(con.Out, o.form), err)
}

// chosen is the method that files are written of.
func chosen(c spmm.Comparison, name string) cost.Candidate[spmm.Method] {
	var best cost.Best[cost.Candidate[spmm.Method]]
	for _, x := range c.Methods {
		if x.Name == name {
			return x
		}
		if x.Name != "all-gather" {
			best.Offer(x, x.Seconds)
		}
	}
	return best.Plan
}

// writeParts writes the files that flags ask for.
func writeParts[T dtype.Float](con *cli.Console, m sparse.Matrix[T], way cost.Candidate[spmm.Method], o *distPlanFlags) error {
	x, cols := way.Plan, way.Plan.Cols
	if cols == nil {
		cols = x.Rows
	}
	rowsOf, err := part.New(o.ranks, x.Rows)
	if err != nil {
		return err
	}
	colsOf, err := part.New(o.ranks, cols)
	if err != nil {
		return err
	}
	if o.write != "" {
		if err := parts.WriteAll(o.write, m, o.ranks, x.Rows, x.Cols); err != nil {
			return err
		}
		fmt.Fprintf(con.Log, "wrote %d parts of %s, %s to %s\n", o.ranks, way.Name, parts.Name(o.write, 0, o.ranks), filepath.Base(parts.Name(o.write, o.ranks-1, o.ranks)))
	}
	for _, f := range []struct {
		name  string
		write func(w io.Writer) error
	}{
		{o.owns, func(w io.Writer) error { return part.WriteParts(w, rowsOf) }},
		{o.svg, func(w io.Writer) error { return part.WriteSVG(w, m, rowsOf, colsOf) }},
	} {
		if f.name == "" {
			continue
		}
		if err := outfile.Write(f.name, f.write); err != nil {
			return err
		}
		fmt.Fprintf(con.Log, "wrote %s, of %s\n", f.name, way.Name)
	}
	return nil
}

// distReport is what dist plan prints.
type distReport struct {
	File      string       `json:"file"`
	Rows      int          `json:"rows"`
	Cols      int          `json:"cols"`
	Entries   int          `json:"entries"`
	Ranks     int          `json:"ranks"`
	Features  int          `json:"features"`
	Type      string       `json:"type"`
	Latency   float64      `json:"latency_seconds"`
	Bandwidth float64      `json:"bytes_per_second"`
	Machine   string       `json:"machine"` // of the predictions
	One       float64      `json:"one_rank_seconds"`
	Methods   []distMethod `json:"methods"`
	Choice    string       `json:"choice"`
	Reason    string       `json:"reason"`
}

type distMethod struct {
	Name     string  `json:"name"`
	What     string  `json:"what"`
	Bytes    int64   `json:"bytes"`
	Messages int64   `json:"messages"`
	MaxRank  int64   `json:"bytes_of_busiest_rank"`
	Balance  float64 `json:"balance"`
	Seconds  float64 `json:"predicted_seconds"`
}

func newDistReport[T dtype.Float](file string, m sparse.Matrix[T], o distPlanFlags, c spmm.Comparison) distReport {
	rows, cols := m.Dims()
	r := distReport{File: file, Rows: rows, Cols: cols, Entries: m.NNZ(), Ranks: o.ranks, Features: o.features, Type: dtype.Of[T]().String(),
		Latency: o.network.Latency, Bandwidth: o.network.Bandwidth, Machine: cmp.Or(o.machine, map[bool]string{true: "this matrix was timed here", false: "reference"}[o.measure]), One: c.One, Choice: c.Methods[c.Best].Name, Reason: c.Why}
	for _, x := range c.Methods {
		r.Methods = append(r.Methods, distMethod{x.Name, x.Plan.What, int64(x.Work.Sent), int64(x.Work.Messages), x.Plan.MaxRank, x.Plan.Balance, x.Seconds})
	}
	return r
}

// printAs prints the report in a form.
func (r *distReport) printAs(out io.Writer, as cli.Form) error {
	switch as {
	case cli.FormJSON:
		return cli.WriteJSON(out, r)
	case cli.FormCSV:
		var rows [][]any
		for _, x := range r.Methods {
			rows = append(rows, []any{r.File, r.Rows, r.Cols, r.Entries, r.Ranks, r.Features, r.Type, r.Latency, r.Bandwidth, r.One,
				x.Name, x.Name == r.Choice, x.Bytes, x.Messages, x.MaxRank, x.Balance, x.Seconds})
		}
		return cli.WriteCSV(out, "file,rows,cols,entries,ranks,features,type,latency_seconds,bytes_per_second,one_rank_seconds,"+
			"method,choice,bytes,messages,bytes_of_busiest_rank,balance,predicted_seconds", rows)
	}
	fmt.Fprintf(out, "%s: %d x %d with %d entries, %d features of %s, on %d ranks, each with a latency of %s and %.3g GB/s; machine: %s\n\n",
		r.File, r.Rows, r.Cols, r.Entries, r.Features, r.Type, r.Ranks, cost.Seconds(r.Latency), r.Bandwidth/1e9, r.Machine)
	const heads = "method\tbytes sent\tmessages\tbusiest rank\tbalance\tpredicted\tspeed-up\t"
	if err := cost.Rows(out, heads, r.Methods, func(x distMethod) bool { return x.Name == r.Choice }, func(x distMethod) (cells, what string) {
		gain := "-" // where nothing is to be done
		if x.Seconds > 0 {
			gain = fmt.Sprintf("%.2f", r.One/x.Seconds)
		}
		return fmt.Sprintf("%s\t%s\t%d\t%s\t%.2f\t%s\t%s", x.Name, cost.Bytes(x.Bytes), x.Messages, cost.Bytes(x.MaxRank), x.Balance, cost.Seconds(x.Seconds), gain), x.What
	}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nchoice: %s\n", r.Reason)
	return err
}
