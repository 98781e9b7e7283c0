// Package formats says which sparse format suits a matrix: tilesmith formats.
package formats

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/mtx"
	"github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// formatsFlags is the command line of formats.
type formatsFlags struct {
	features, threads, runs int
	maxDim                  int
	element, isa            string
	time, calibrate         bool
	form                    cli.Form
}

// Command prints what each sparse format would cost for a matrix, and why one is
// the choice.
func Command() *cobra.Command {
	var o formatsFlags
	var asked func() (cli.Form, error)
	c := cli.NewCommand("formats FILE [FLAGS]", "predict what each sparse format costs for a matrix, and say which one to use",
		cli.Exactly(1, "formats takes one file, as in: tilesmith formats cora.mtx --features 128; - is the standard input"), func(c *cobra.Command, args []string) (err error) {
			if o.form, err = asked(); err != nil {
				return err
			}
			if err := o.check(); err != nil {
				return cli.Usage(err)
			}
			if o.element == "f64" {
				return formatsOf[float64](cli.ConsoleOf(c), args[0], o)
			}
			return formatsOf[float32](cli.ConsoleOf(c), args[0], o)
		})
	flags := c.Flags()
	flags.IntVar(&o.features, "features", 128, "columns of the dense matrix")
	flags.StringVar(&o.element, "type", "f32", "type of the elements: f32 or f64")
	flags.IntVar(&o.threads, "threads", 1, "goroutines that share a product")
	flags.StringVar(&o.isa, "isa", "", "variant of the kernels (default: TILESMITH_ISA, or the best of this machine)")
	flags.BoolVar(&o.time, "time", true, "convert and time each format, besides what the model predicts")
	flags.IntVar(&o.runs, "runs", 11, "alternating runs whose median is taken")
	flags.BoolVar(&o.calibrate, "calibrate", false, "measure the rates of L3 and memory for the model, 0.2 s, instead of taking stated ones")
	flags.IntVar(&o.maxDim, "max-dim", 0, "most rows or columns to read; 0: in proportion to the entries, so that a file cannot ask for all memory")
	asked = cli.FormFlags(c, "one JSON object", cli.FormTable, cli.FormCSV, cli.FormJSON)
	cli.Values(c, "type", "f32", "f64")
	cli.Values(c, "isa", run.ISAs()...)
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"mtx", "mtx.gz", "npz", "rua", "rsa", "rb", "hb"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return c
}

func (o *formatsFlags) check() error {
	switch {
	case o.features < 1 || o.features > 1<<20:
		return fmt.Errorf("--features %d; from 1 to %d", o.features, 1<<20)
	case o.threads < 1 || o.threads > 1024:
		return fmt.Errorf("--threads %d; from 1 to 1024", o.threads)
	case o.runs < 1 || o.runs > 1000:
		return fmt.Errorf("--runs %d; from 1 to 1000", o.runs)
	case o.maxDim < 0 || o.maxDim > math.MaxInt32:
		return fmt.Errorf("--max-dim %d; from 0 to %d", o.maxDim, math.MaxInt32)
	case o.element != "f32" && o.element != "f64":
		return fmt.Errorf("--type %s; f32 or f64", o.element)
	}
	isas := run.ISAs()
	from := "--isa"
	if o.isa == "" {
		if o.isa, from = os.Getenv("TILESMITH_ISA"), "TILESMITH_ISA"; o.isa == "" {
			o.isa = isas[0]
		}
	}
	if !slices.Contains(isas, o.isa) {
		return fmt.Errorf("%s %s; this machine has %v", from, o.isa, isas)
	}
	return nil
}

// machine is what the model is told of this one.
func (o *formatsFlags) machine() sparse.Machine {
	on := sparse.MachineFor(o.isa)
	on.Threads = o.threads
	if o.calibrate {
		l2, l3 := on.Caches[machine.L2].Size, on.Caches[machine.L3].Size
		on.Caches[machine.L3].Read = roof.Read(o.isa, (l2+l3)/4, calibration)
		on.Caches[machine.Memory].Read = roof.Read(o.isa, 4*l3, calibration)
	}
	return on
}

func formatsOf[T dtype.Float](con *cli.Console, file string, o formatsFlags) error {
	defer con.Bar.Stop()
	con.Bar.Say("reading %s", file)
	var m sparse.Matrix[T]
	err := cli.Abandon(con.Ctx, func() (err error) {
		m, err = ReadMatrix[T](file, o.maxDim, con.Log)
		return err
	})
	if con.Ctx.Err() != nil {
		return fmt.Errorf("%w while %s was read", context.Cause(con.Ctx), file)
	}
	if err != nil {
		return err
	}
	if o.time {
		if err := Fits(m, o.features); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	a, err := sparse.Advise(m, o.features, o.machine())
	if err != nil {
		return err
	}
	r := newReport(filepath.Base(file), dtype.Of[T](), o, a)
	stopped := ""
	if o.time {
		if stopped, err = measure(con, &r, m, a, o); err != nil {
			return err
		}
	}
	con.Bar.Stop()
	if err := r.printAs(con.Out, o.form); err != nil {
		return err
	}
	if stopped != "" {
		return fmt.Errorf("%w while formats were %s; those that are not measured have a prediction only", context.Cause(con.Ctx), stopped)
	}
	return nil
}

// ReadMatrix reads a matrix from a file of any kind, or from the standard input if the
// file is "-". Values do not matter to formats, so those that cannot be had exactly will do.
func ReadMatrix[T dtype.Float](file string, maxDim int, log io.Writer) (sparse.Matrix[T], error) {
	f := os.Stdin
	if file == "" {
		return sparse.Matrix[T]{}, cli.Usagef("the name of the matrix file is empty; want a file, or - for the standard input")
	}
	if file != "-" {
		var err error
		if f, err = os.Open(file); err != nil {
			return sparse.Matrix[T]{}, err
		}
		defer f.Close()
	}
	in, err := mtx.Open(f, mtx.Options{Name: file, Expand: true, Lenient: true, MaxDim: maxDim})
	if err != nil {
		if errors.Is(err, mtx.ErrLimit) && maxDim == 0 {
			err = fmt.Errorf("%w; here that is --max-dim", err)
		}
		return sparse.Matrix[T]{}, err
	}
	h := in.Header()
	if h.Field == mtx.Complex {
		fmt.Fprintf(log, "%s: the matrix is complex; formats depend on where entries are, so their real parts stand for them\n", file)
	}
	b := sparse.NewBuilder[T](h.Rows, h.Cols)
	if err := in.VisitComplex(func(i, j int, v complex128) error {
		b.Add(i, j, T(real(v)))
		return b.Err()
	}); err != nil {
		return sparse.Matrix[T]{}, err
	}
	return b.Matrix()
}
