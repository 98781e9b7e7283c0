package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tilesmith/tilesmith/cpu/run"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	stderr, terminal := os.Stderr, false
	if info, err := stderr.Stat(); err == nil {
		terminal = info.Mode()&os.ModeCharDevice != 0
	}
	err := command(ctx, os.Args[1:], os.Stdout, stderr, terminal)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gnn:", err)
		os.Exit(1)
	}
}

// command does what args say. Results go to out and progress to log, as one line that changes if log is a
// terminal. When ctx ends it stops after the epoch and keeps the best so far.
func command(ctx context.Context, args []string, out, log io.Writer, terminal bool) error {
	o, err := parse(args, log)
	if err != nil {
		return err
	}
	if err := o.writable(); err != nil {
		return err
	}
	run.SetThreads(o.threads)
	set, err := o.read()
	if err != nil {
		return err
	}
	fmt.Fprintln(log, set)

	if len(o.grid) > 0 {
		return o.choose(ctx, set, out)
	}
	var accuracies []float64
	for n := range o.runs {
		t, err := NewTrainer[float32](o.model, set, o.seed+uint64(n))
		if err != nil {
			return err
		}
		if o.resume {
			if err := o.resumed(t); err != nil {
				return err
			}
		}
		start := time.Now()
		failed := t.Run(ctx, newProgress(log, terminal, t).show)
		took := time.Since(start)
		if terminal {
			fmt.Fprintln(log)
		}
		if failed != nil {
			o.checkpoint = "" // there is nothing to go on from, but maybe in the file
		}
		if err := o.save(t); err != nil {
			return err
		}
		if failed != nil {
			return failed
		}
		if len(t.State.Curve) == 0 {
			return context.Cause(ctx) // before there was anything to keep
		}
		t.Keep()
		asked, what := set.Test, "right"
		if len(asked) == 0 {
			asked, what = set.Validation, "to validate right, none to test"
		}
		test := t.Score(asked)
		accuracies = append(accuracies, 100*test.Accuracy)
		how := "ended"
		if ctx.Err() != nil {
			how = "was interrupted"
		}
		fmt.Fprintf(out, "%s, seed %d: %.1f %% of %d nodes %s; training %s after epoch %d in %.1f s, kept epoch %d\n",
			o.model.Name, t.State.Seed, 100*test.Accuracy, len(asked), what, how, len(t.State.Curve), took.Seconds(), t.State.BestEpoch)
		if ctx.Err() != nil {
			break
		}
	}
	if len(accuracies) > 1 {
		mean, deviation := spread(accuracies)
		fmt.Fprintf(out, "%s: %.2f +- %.2f %% of %d seeds\n", o.model.Name, mean, deviation, len(accuracies))
	}
	return nil
}

// spread returns the mean and the standard deviation of some numbers; that of one is 0.
func spread(x []float64) (mean, deviation float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		deviation += (v - mean) * (v - mean) / float64(max(1, len(x)-1))
	}
	return mean, math.Sqrt(deviation)
}
