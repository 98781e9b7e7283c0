package distcmd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/comm/mpi"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// distRunFlags is the command line of dist run.
type distRunFlags struct {
	distFlags
	method, parts string
	threads, runs int
	mixed         bool

	processes bool // ranks are those of an MPI job
}

// distRunCommand multiplies over ranks, checks the result and says what it took.
func distRunCommand() *cobra.Command {
	var o distRunFlags
	var asked func() (cli.Form, error)
	c := cli.NewCommand("run FILE.mtx|--parts PREFIX [FLAGS]", "multiply over ranks that are goroutines, or the processes of mpirun or srun: check it, count bytes, time it",
		nil, func(c *cobra.Command, args []string) (err error) {
			if o.form, err = asked(); err != nil {
				return err
			}
			o.processes = mpi.Launched()
			if err := o.check(args, c.Flags().Changed); err != nil {
				return cli.Usage(err)
			}
			file := ""
			if len(args) > 0 {
				file = args[0]
			}
			if o.element == "f64" {
				return distRun[float64](cli.ConsoleOf(c), file, o)
			}
			return distRun[float32](cli.ConsoleOf(c), file, o)
		})
	c.Args = cobra.ArbitraryArgs
	flags := c.Flags()
	o.declare(c, 2)
	flags.StringVar(&o.method, "method", "", "rows, hypergraph or cover (default: the fastest of these for the network below)")
	flags.StringVar(&o.parts, "parts", "", "read the part of each rank from the files of dist plan --write PREFIX, in place of FILE.mtx")
	flags.IntVar(&o.threads, "threads", 0, "of a rank; 0: 1 for a goroutine, else what Slurm, the launcher or GOMAXPROCS leave to a process")
	flags.IntVar(&o.runs, "runs", 11, "products whose median is taken")
	flags.BoolVar(&o.mixed, "mixed", false, "let the machines of ranks differ: all use the best instruction set that all have")
	flags.DurationVar(&o.latency, "latency", 0, "of a message: goroutines wait that long")
	flags.StringVar(&o.bandwidth, "bandwidth", "", "of a rank, likewise, as in 1GB/s (default: no limit)")
	asked = cli.FormFlags(c, "one JSON object", cli.FormTable, cli.FormCSV, cli.FormJSON)
	cli.Values(c, "method", "rows", "hypergraph", "cover")
	return c
}

func (o *distRunFlags) check(args []string, changed func(flag string) bool) error {
	if err := o.distFlags.check(); err != nil {
		return err
	}
	const most = 1024 // goroutine ranks, each with a part of its own
	switch {
	case len(args) > 1 || (len(args) == 1) == (o.parts != ""):
		return errors.New("dist run takes one file, or --parts PREFIX, as in: tilesmith dist run cora.mtx --ranks 4")
	case len(args) == 1 && args[0] == "":
		return errors.New("the name of the matrix file is empty; want a file, as in: tilesmith dist run cora.mtx --ranks 4")
	case o.method != "" && o.method != "rows" && o.method != "hypergraph" && o.method != "cover":
		return fmt.Errorf("--method %s; rows, hypergraph or cover", o.method)
	case o.parts != "" && (o.method == "rows" || o.method == "hypergraph"):
		return fmt.Errorf("--method %s: the parts say who owns what; cover is left to choose", o.method)
	case o.parts != "" && (o.measure || o.machine != ""):
		return errors.New("--measure and --machine are for dividing FILE.mtx; the parts of --parts are divided")
	case o.threads < 0 || o.threads > 1024:
		return fmt.Errorf("--threads %d; from 0 to 1024", o.threads)
	case o.runs < 1 || o.runs > 1000:
		return fmt.Errorf("--runs %d; from 1 to 1000", o.runs)
	case !o.processes && o.ranks > most:
		return fmt.Errorf("--ranks %d; to %d where ranks are goroutines", o.ranks, most)
	case o.processes && (o.latency > 0 || o.bandwidth != ""):
		return errors.New("--latency and --bandwidth slow goroutine ranks down; an MPI job has a network")
	case o.processes && changed("ranks"):
		return errors.New("--ranks is for goroutine ranks; mpirun -n says how many processes there are")
	}
	return nil
}

func distRun[T dtype.Float](con *cli.Console, file string, o distRunFlags) error {
	defer con.Bar.Stop()
	job := &distJob[T]{con: con, file: file, o: o}
	if o.processes {
		return mpi.Run(0, job.rank)
	}
	if file != "" { // goroutines share what is read and divided once
		con.Bar.Say("reading %s", file)
		if err := cli.Abandon(con.Ctx, job.read); err != nil {
			return err
		}
	}
	return cli.Abandon(con.Ctx, func() error {
		return comm.Local{Link: o.network}.Run(o.ranks, job.rank)
	})
}
