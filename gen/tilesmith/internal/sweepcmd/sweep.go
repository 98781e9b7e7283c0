// Package sweepcmd checks and times kernels, stock ones and those of specs: tilesmith sweep and verify.
package sweepcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/sweeppeers"
	"github.com/tilesmith/tilesmith/verify/sweep"
)

// sweepFlags is the command line of sweep.
type sweepFlags struct {
	config  sweep.Config
	form    cli.Form // "": a table on a terminal, else benchmark lines
	html    string
	svg     string
	readme  bool // tables of docs/speed.md on stdout
	update  string
	count   int
	command string // as it was typed

	instruments sweep.Instruments // zero but in tests
}

// SweepCommand checks kernels and times them.
func SweepCommand() *cobra.Command {
	var o sweepFlags
	c := cli.NewCommand("sweep [spec.go | DIR | DIR/... ...] [FLAGS]", "check kernels, then time them and compare with ceilings and other libraries", nil, nil)
	flags := c.Flags()
	gridFlags(c, &o.config)
	flags.StringSliceVar(&o.config.Peers, "peers", nil, "libraries to time next to ours, as in --peers=openblas,blis; without names all that load")
	flags.Lookup("peers").NoOptDefVal = "all"
	flags.DurationVar(&o.config.Time, "time", 200*time.Millisecond, "time for each function at each point, about")
	flags.BoolVar(&o.config.Quick, "quick", false, "fewer points, and less time for each")
	flags.IntVar(&o.count, "count", 1, "benchmark lines for a point, each the median of some runs; benchstat wants 6 or more")
	asked := cli.FormFlags(c, "one JSON object a line", cli.FormTable, cli.FormBench, cli.FormCSV, cli.FormJSON)
	flags.StringVar(&o.html, "html", "", "write a page with the roofline to this file, too")
	flags.StringVar(&o.svg, "svg", "", "write the roofline alone to this file, too")
	flags.BoolVar(&o.readme, "markdown", false, "print the tables of docs/speed.md instead")
	flags.StringVar(&o.update, "update", "", "put the tables into this file, between its lines <!-- sweep --> and <!-- /sweep -->, too; those of other processors stay")
	cli.Values(c, "peers", "all", "openblas", "blis", "mkl", "libxsmm", "onednn", "gonum")
	c.RunE = func(c *cobra.Command, specs []string) (err error) {
		if err := o.misread(specs); err != nil {
			return cli.Usage(err)
		}
		if o.config.Quick && !flags.Changed("time") {
			o.config.Time = 40 * time.Millisecond
		}
		if o.form, err = asked(); err != nil {
			return err
		}
		if err := o.check(); err != nil {
			return cli.Usage(err)
		}
		o.config.Runs = o.count
		con := cli.ConsoleOf(c)
		o.command = commandLine(os.Args[0], con.Typed)
		return o.sweep(con, specs)
	}
	return c
}

// gridFlags are the flags that sweep and verify share.
func gridFlags(cmd *cobra.Command, c *sweep.Config) {
	flags := cmd.Flags()
	flags.StringVar(&c.Kernels, "kernels", "", "kernels whose name matches this regular expression (default: all)")
	flags.StringSliceVar(&c.Types, "types", nil, "types of the elements, as in f32,f64 (default: all)")
	flags.StringSliceVar(&c.ISAs, "isa", nil, "variants, as in avx512,avx2,go, or all (default: the best to sweep, all to verify)")
	flags.StringVar(&c.Shapes, "shapes", "", "shapes, as in 64,128x256x512: n for n x n by n x n, or MxNxK (default: the kernel's choice)")
	flags.StringVar(&c.Ops, "ops", "", "operands as they are or stored transposed, as in NN,NT,TN,TT (default: the kernel's choice)")
	flags.IntSliceVar(&c.Threads, "threads", nil, "numbers of goroutines, as in 1,2 (default: 1)")
	cli.Values(cmd, "isa", append(run.ISAs(), "all")...)
	cli.Values(cmd, "types", "f32", "f64", "bf16", "f16", "i8")
	cmd.ValidArgsFunction = cli.CompleteSpecs
}

// misread finds names of libraries that were taken for specs: --peers has an optional
// value, which stands after an equals sign.
func (o *sweepFlags) misread(specs []string) error {
	for _, s := range specs {
		if _, err := os.Stat(s); err != nil && slices.Equal(o.config.Peers, []string{"all"}) && !strings.ContainsAny(s, "./\\") {
			return fmt.Errorf("%q is not a spec file; if it is a library, write --peers=%s", s, s)
		}
	}
	return nil
}

func (o *sweepFlags) check() error {
	switch {
	case o.form != "" && o.readme:
		return fmt.Errorf("--format %s and --markdown are both for stdout; give one of them", o.form)
	case o.config.Time == 0: // which a session takes for the usual time
		return errors.New("--time 0s: from 1ms to 1m0s")
	case o.count < 1 || o.count > 25:
		return fmt.Errorf("--count %d: from 1 to 25", o.count)
	case o.update != "" && len(o.config.Peers) == 0:
		return errors.New("--update: the tables compare with other libraries; give --peers")
	}
	return nil
}

// sweep runs it.
func (o *sweepFlags) sweep(con *cli.Console, specs []string) error {
	// Files are looked at before minutes go by.
	files, err := o.files()
	if err != nil {
		return err
	}
	defer con.Bar.Stop()
	all := o.sink(con)
	err = runConfig(con, &o.config, o.instruments, specs, all)
	con.Bar.Stop()
	stopped := con.Ctx.Err() != nil
	if err != nil && !stopped {
		return err
	}
	done, total := all.end()
	note := ""
	if stopped {
		note = fmt.Sprintf("interrupted: %d of %d points are measured", done, max(done, total))
	}
	if err := o.finish(con, all, files, note); err != nil {
		return err
	}
	if stopped {
		return errors.Join(fmt.Errorf("%w: the output has the %d of %d points that were measured", context.Cause(con.Ctx), done, max(done, total)), all.wrong())
	}
	return all.wrong()
}

// sink is where results go.
func (o *sweepFlags) sink(con *cli.Console) *collector {
	all := &collector{bar: con.Bar, warn: con.Log}
	if o.readme {
		return all
	}
	if o.form == "" {
		o.form = cli.FormBench
		if con.Terminal {
			o.form = cli.FormTable
		}
	}
	if o.form == cli.FormTable && con.Terminal {
		all.warn = io.Discard // what to know of peers stands below the table
	}
	switch o.form {
	case cli.FormJSON:
		all.next = sweep.JSON{W: con.Out}
	case cli.FormCSV:
		all.next = &sweep.CSV{W: con.Out}
	case cli.FormTable:
		all.next = &tableSink{sweep.Table{W: con.Out, Style: style(cli.Colours(con.Out))}}
	default:
		all.next = &benchSink{sweep.Bench{W: con.Out, Count: o.count}}
	}
	return all
}

// finish ends what is on stdout and writes files. A note says that not all was measured:
// then the tables of a file that has older ones stay.
func (o *sweepFlags) finish(con *cli.Console, all *collector, files []sweepFile, note string) error {
	if all.machine == nil {
		return nil // nothing was swept
	}
	if note != "" {
		all.notes = append(all.notes, note)
	}
	var err error
	switch next := all.next.(type) {
	case interface{ End([]sweep.Result) error }:
		err = next.End(all.results)
	case nil:
		err = sweep.Markdown(con.Out, all.machine, all.results, o.command)
	}
	for _, f := range files { // also when nobody reads stdout any more
		if note != "" && f.name == o.update {
			fmt.Fprintf(con.Log, "tilesmith: %s stays as it was: not all points are measured\n", f.name)
			continue
		}
		if werr := f.write(all); werr != nil {
			err = errors.Join(err, werr)
			continue
		}
		fmt.Fprintf(con.Log, "tilesmith: wrote %s\n", f.name)
	}
	return err
}

// runConfig sweeps or verifies the stock kernels, or those of specs.
func runConfig(con *cli.Console, c *sweep.Config, with sweep.Instruments, specs []string, to sweep.Sink) error {
	if len(specs) > 0 {
		return runUser(con, c, specs, to)
	}
	s, err := c.Session(sweep.Stock())
	if err != nil {
		return cli.Usage(err)
	}
	if len(c.Peers) > 0 {
		con.Bar.Say("loading libraries")
		if s.Peers, err = sweeppeers.Find(c.Peers); err != nil {
			return cli.Usage(err)
		}
	}
	s.Instruments, s.Progress = with, con.Bar.Step
	if p, ok := to.(interface {
		Progress(done, total int, what string)
	}); ok {
		s.Progress = p.Progress
	}
	return cli.Abandon(con.Ctx, func() error { return c.Run(s, to) })
}

// runUser does so for the kernels of a user's packages, each in a program of its own.
func runUser(con *cli.Console, c *sweep.Config, specs []string, to sweep.Sink) error {
	if _, err := c.Session(nil); err != nil { // before anything is built
		return cli.Usage(err)
	}
	packages, err := userPackages(specs)
	if err != nil {
		return err
	}
	for _, p := range packages {
		if err := p.all(con, *c, to); err != nil {
			return cli.OrCause(con.Ctx, err)
		}
	}
	return nil
}

// benchSink and tableSink print results, and take no verdicts.
type (
	benchSink struct{ sweep.Bench }
	tableSink struct{ sweep.Table }
)

func (*benchSink) Verdict(*sweep.Verdict) error { return nil }
func (*tableSink) Verdict(*sweep.Verdict) error { return nil }

// style colours the words of a table.
func style(p cli.Palette) func(sweep.Style, string) string {
	return func(s sweep.Style, text string) string {
		return map[sweep.Style]func(string) string{sweep.Head: p.Head, sweep.Good: p.Good, sweep.Minor: p.Minor, sweep.Wrong: p.Bad}[s](text)
	}
}
