// Package distcmd spreads sparse products over ranks: tilesmith dist.
package distcmd

import (
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/cpu/dist/spmm"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/machinecmd"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/part"
	"github.com/tilesmith/tilesmith/tiling/cost"
)

// distFlags are what both commands of dist take.
type distFlags struct {
	ranks, features, chunks, maxDim int
	element, bandwidth, machine     string
	measure                         bool
	latency                         time.Duration
	eps                             float64
	seed                            uint64
	effort                          int
	form                            cli.Form

	network cost.Link
}

// Command plans and runs sparse products over ranks.
func Command() *cobra.Command {
	c := cli.NewCommand("dist plan|run FILE.mtx", "spread a sparse product over ranks: predict the cost of each way, or do it", nil,
		func(c *cobra.Command, args []string) error { return cli.Unknown(c, args, "command of dist") })
	c.Args = cobra.ArbitraryArgs
	c.AddCommand(distPlanCommand(), distRunCommand())
	return c
}

// declare adds the flags to a command; ranks is the usual number.
func (o *distFlags) declare(c *cobra.Command, ranks int) {
	flags := c.Flags()
	flags.IntVar(&o.ranks, "ranks", ranks, "how many ranks; under mpirun or srun those of the job")
	flags.IntVar(&o.features, "features", 128, "columns of the dense matrix")
	flags.StringVar(&o.element, "type", "f32", "type of the elements: f32 or f64")
	flags.IntVar(&o.chunks, "chunks", 1, "messages that the rows for one rank are sent in")
	flags.Float64Var(&o.eps, "eps", .03, "how much heavier than the mean a part may be")
	flags.Uint64Var(&o.seed, "seed", 1, "of the partition")
	flags.IntVar(&o.effort, "effort", 1, "partitions of which the best is taken")
	flags.StringVar(&o.machine, "machine", "", "whose model weighs rows and predicts times: reference, the same everywhere, or this, measured, a core\nor a file, as tilesmith explain has them (default: reference)")
	flags.BoolVar(&o.measure, "measure", false, "time this matrix here instead of that model: what is chosen and sent may then differ from run to run")
	flags.IntVar(&o.maxDim, "max-dim", 0, "most rows or columns to read; 0: in proportion to the entries, so that a file cannot ask for all memory")
	cli.Values(c, "type", "f32", "f64")
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"mtx", "mtx.gz"}, cobra.ShellCompDirectiveFilterFileExt
	}
}

// part is how rows are divided.
func (o *distFlags) part() part.Options {
	return part.Options{Eps: o.eps, Seed: o.seed, Effort: o.effort}
}

// methods compares the ways to spread a product, by rates that are the same in every run unless
// they are asked to be measured.
func methods[T dtype.Float](m sparse.Matrix[T], o *distFlags) (spmm.Comparison, error) {
	net, rates := o.network, spmm.Rates{}
	if net.Bandwidth == 0 {
		net.Bandwidth = 10e9
	}
	on, err := machinecmd.For(o.machine)
	switch {
	case err != nil:
	case on != nil:
		rates, err = spmm.PredictRates(m, o.features, sparse.Machine{Machine: *on, ISA: on.Units[0].ISA, Threads: 1})
	case o.measure && m.NNZ() > 0: // without entries there is nothing to time
		rates, err = spmm.MeasureRates(m, o.features, 1)
	}
	if err != nil {
		return spmm.Comparison{}, err
	}
	return spmm.Methods(m, spmm.MethodsOptions{Ranks: o.ranks, Features: o.features, Network: net, Rates: rates, Chunks: o.chunks, Part: o.part()})
}

// check refuses numbers that cannot be, and reads those with units.
func (o *distFlags) check() (err error) {
	switch {
	case o.ranks < 1 || o.ranks > part.MaxParts:
		return fmt.Errorf("--ranks %d; from 1 to %d", o.ranks, part.MaxParts)
	case o.features < 1 || o.features > 1<<20:
		return fmt.Errorf("--features %d; from 1 to %d", o.features, 1<<20)
	case o.chunks < 1 || o.chunks > 1<<12:
		return fmt.Errorf("--chunks %d; from 1 to %d", o.chunks, 1<<12)
	case !(o.eps > 0 && o.eps <= 1):
		return fmt.Errorf("--eps %v; above 0, to 1", o.eps)
	case o.effort < 1 || o.effort > 1000:
		return fmt.Errorf("--effort %d; from 1 to 1000", o.effort)
	case o.maxDim < 0 || o.maxDim > math.MaxInt32:
		return fmt.Errorf("--max-dim %d; from 0 to %d", o.maxDim, math.MaxInt32)
	case o.element != "f32" && o.element != "f64":
		return fmt.Errorf("--type %s; f32 or f64", o.element)
	case o.measure && o.machine != "":
		return fmt.Errorf("--measure times this matrix here, --machine %s predicts; give one of them", o.machine)
	case o.latency < 0 || o.latency > time.Second:
		return fmt.Errorf("--latency %v; from 0 to 1s", o.latency)
	}
	o.network.Latency = o.latency.Seconds()
	if o.bandwidth != "" {
		if o.network.Bandwidth, err = bandwidthOf(o.bandwidth); err != nil {
			return fmt.Errorf("--bandwidth %s: %w", o.bandwidth, err)
		}
	}
	return nil
}
