package main

import (
	"fmt"
	"io"
	"os"

	"github.com/tilesmith/tilesmith/verify/sweep"
)

// verifyKernels puts kernels through every check.
func verifyKernels(args []string) error {
	c := sweep.Config{Verify: true}
	flags := newFlags("verify", "[spec.go | DIR ...] [FLAGS]")
	gridFlags(flags, &c)
	flags.BoolVar(&c.Long, "long", false, "exhaustive small shapes and larger big ones, too")
	asJSON := flags.Bool("json", false, "print one JSON object a line instead of a line of text")
	specs, err := parseSweep(flags, args)
	if err != nil {
		return err
	}
	return verifySpecs(&c, specs, *asJSON, os.Stdout, os.Stderr)
}

func verifySpecs(c *sweep.Config, specs []string, asJSON bool, out, log io.Writer) error {
	all := &collector{next: verdictSink{out}, progress: sweep.Progress(log)}
	if asJSON {
		all.next = sweep.JSON{W: out}
	}
	if c.Long {
		os.Setenv("TILESMITH_LONG", "1") // which package check reads
	}
	if err := runConfig(c, sweep.Instruments{}, specs, all, log); err != nil {
		return err
	}
	return all.wrong()
}

// verdictSink prints verdicts for a reader.
type verdictSink struct{ w io.Writer }

func (verdictSink) Machine(*sweep.Machine) error { return nil }
func (verdictSink) Result(*sweep.Result) error   { return nil }

func (s verdictSink) Verdict(v *sweep.Verdict) error {
	for _, line := range v.Lines() {
		if _, err := fmt.Fprintln(s.w, line); err != nil {
			return err
		}
	}
	return nil
}
