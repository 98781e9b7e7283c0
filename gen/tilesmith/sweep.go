package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/tilesmith/tilesmith/gen/tilesmith/sweeppeers"
	"github.com/tilesmith/tilesmith/verify/sweep"
)

// sweepFlags is the command line of sweep.
type sweepFlags struct {
	config   sweep.Config
	json     bool
	html     string
	svg      string
	markdown bool
	update   string
	count    int
	command  string // as it was typed

	instruments sweep.Instruments // zero but in tests
}

// sweepKernels checks kernels and times them.
func sweepKernels(args []string) error {
	var o sweepFlags
	const form = "[spec.go | DIR ...] [FLAGS]"
	flags := newFlags("sweep", form)
	gridFlags(flags, &o.config)
	flags.StringSliceVar(&o.config.Peers, "peers", nil, "libraries to time beside ours, as in --peers=openblas,blis; without names all that load")
	flags.Lookup("peers").NoOptDefVal = "all"
	flags.DurationVar(&o.config.Time, "time", 200*time.Millisecond, "time for each function at each point, about")
	flags.BoolVar(&o.config.Quick, "quick", false, "few places, and less time for each")
	flags.IntVar(&o.count, "count", 1, "benchmark lines for a point, each the median of some runs; benchstat wants 6 or more")
	flags.BoolVar(&o.json, "json", false, "print one JSON object a line instead of benchmark lines")
	flags.StringVar(&o.html, "html", "", "write a page with the roofline to this file, too")
	flags.StringVar(&o.svg, "svg", "", "write the roofline alone to this file, too")
	flags.BoolVar(&o.markdown, "markdown", false, "print the tables of README.md instead of benchmark lines")
	flags.StringVar(&o.update, "update", "", "put the tables into this file, between its lines <!-- sweep --> and <!-- /sweep -->, too; those of other processors stay")
	specs, err := parseSweep(flags, args)
	if err != nil {
		return err
	}
	if err := o.misread(specs); err != nil {
		return usageError{err}
	}
	if o.config.Quick && !flags.Changed("time") {
		o.config.Time = 40 * time.Millisecond
	}
	if err := o.check(); err != nil {
		return usageError{err}
	}
	o.config.Runs = o.count
	o.command = commandLine("sweep", args)
	return o.sweep(specs, os.Stdout, os.Stderr)
}

// parseSweep reads the flags; what is left are specs and folders.
func parseSweep(flags *pflag.FlagSet, args []string) ([]string, error) {
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return nil, err
		}
		return nil, usageError{err}
	}
	return flags.Args(), nil
}

// gridFlags are the flags that sweep and verify share.
func gridFlags(flags *pflag.FlagSet, c *sweep.Config) {
	flags.StringVar(&c.Kernels, "kernels", "", "kernels whose name matches this regular expression")
	flags.StringSliceVar(&c.Types, "types", nil, "types of the elements, as in f32,f64")
	flags.StringSliceVar(&c.ISAs, "isa", nil, "variants, as in avx512,avx2,go, or all")
	flags.StringVar(&c.Shapes, "shapes", "", "shapes, as in 64,128x256x512: n for n x n by n x n, or MxNxK")
	flags.StringVar(&c.Ops, "ops", "", "operands as they are or stored transposed, as in NN,NT,TN,TT")
	flags.IntSliceVar(&c.Threads, "threads", nil, "numbers of goroutines, as in 1,2")
}

// misread finds names of libraries that were taken for specs: --peers has an optional
// value, which stands after an equals sign.
func (o *sweepFlags) misread(specs []string) error {
	for _, s := range specs {
		if _, err := os.Stat(s); err != nil && slices.Equal(o.config.Peers, []string{"all"}) && !strings.ContainsAny(s, "./\\") {
			return fmt.Errorf("%q is no spec file; if it is a library, say --peers=%s", s, s)
		}
	}
	return nil
}

func (o *sweepFlags) check() error {
	switch {
	case o.json && o.markdown:
		return errors.New("--json and --markdown are both for stdout; give one of them")
	case o.config.Time == 0: // which a session takes for the usual time
		return errors.New("--time 0s: from 1ms to 1m0s")
	case o.count < 1 || o.count > 25:
		return fmt.Errorf("--count %d: from 1 to 25", o.count)
	case o.update != "" && len(o.config.Peers) == 0:
		return errors.New("--update: the tables compare with other libraries; give --peers")
	}
	return nil
}

// sweep runs it, with data to out and everything else to log.
func (o *sweepFlags) sweep(specs []string, out, log io.Writer) error {
	// Files are looked at before minutes go by.
	files, err := o.files()
	if err != nil {
		return err
	}
	all := &collector{progress: sweep.Progress(log)}
	switch {
	case o.json:
		all.next = sweep.JSON{W: out}
	case !o.markdown:
		all.next = &benchSink{sweep.Bench{W: out, Count: o.count}}
	}
	if err := runConfig(&o.config, o.instruments, specs, all, log); err != nil {
		return err
	}
	if b, ok := all.next.(*benchSink); ok {
		err = b.End(all.results)
	}
	if o.markdown && all.machine != nil {
		err = sweep.Markdown(out, all.machine, all.results, o.command)
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		if all.machine == nil {
			break // nothing was swept
		}
		if err := f.write(all); err != nil {
			return err
		}
	}
	return all.wrong()
}

// runConfig sweeps or verifies the stock kernels, or those of specs.
func runConfig(c *sweep.Config, with sweep.Instruments, specs []string, to sweep.Sink, log io.Writer) error {
	if len(specs) > 0 {
		return runUser(c, specs, to, log)
	}
	s, err := c.Session(sweep.Stock())
	if err != nil {
		return usageError{err}
	}
	if len(c.Peers) > 0 {
		if s.Peers, err = sweeppeers.Find(c.Peers); err != nil {
			return usageError{err}
		}
	}
	s.Instruments, s.Progress = with, sweep.Progress(log)
	return c.Run(s, to)
}

// runUser does so for the kernels of a user's packages, each in a program of its own.
func runUser(c *sweep.Config, specs []string, to sweep.Sink, log io.Writer) error {
	if _, err := c.Session(nil); err != nil { // before anything is built
		return usageError{err}
	}
	packages, err := userPackages(specs)
	if err != nil {
		return err
	}
	for _, p := range packages {
		if err := p.all(*c, to, log); err != nil {
			return err
		}
	}
	return nil
}

// benchSink is a [sweep.Bench] that takes no verdicts.
type benchSink struct{ sweep.Bench }

func (*benchSink) Verdict(*sweep.Verdict) error { return nil }

// collector keeps what it hands on.
type collector struct {
	next     sweep.Sink // may be nil
	progress func(line string)
	machine  *sweep.Machine
	results  []sweep.Result
	verdicts []sweep.Verdict
}

func (c *collector) Machine(m *sweep.Machine) error {
	if c.machine == nil {
		c.machine = m
	}
	if c.next == nil {
		return nil
	}
	return c.next.Machine(m)
}

func (c *collector) Result(r *sweep.Result) error {
	c.results = append(c.results, *r)
	if c.next == nil {
		return nil
	}
	return c.next.Result(r)
}

func (c *collector) Verdict(v *sweep.Verdict) error {
	c.verdicts = append(c.verdicts, *v)
	if c.next == nil {
		return nil
	}
	return c.next.Verdict(v)
}

// Progress is told by programs around a user's kernels what goes on.
func (c *collector) Progress(line string) { c.progress(line) }

// wrong is an error if something did not match: what, where, and how many.
func (c *collector) wrong() error {
	var names []string
	for _, r := range c.results {
		if r.Mismatch != "" {
			names = append(names, fmt.Sprintf("%s %s isa=%s %v: %s", r.Kernel, r.Types, r.ISA, r.Workload, r.Mismatch))
		}
	}
	for _, v := range c.verdicts {
		if !v.Good() {
			names = append(names, fmt.Sprintf("%s %s isa=%s: %s", v.Kernel, v.Types, v.ISA, v.Failures[0]))
		}
	}
	if names == nil {
		return nil
	}
	more := ""
	if n := len(names) - 1; n > 0 {
		more = fmt.Sprintf("; and %d more", n)
	}
	first, _, _ := strings.Cut(names[0], "\n")
	return fmt.Errorf("mismatch, and nothing was timed there: %s%s", first, more)
}
