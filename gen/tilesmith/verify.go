package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/verify/sweep"
)

// verifyCommand puts kernels through every check.
func verifyCommand() *cobra.Command {
	config := sweep.Config{Verify: true}
	var asked func() (form, error)
	c := newCommand("verify [spec.go | DIR | DIR/... ...] [FLAGS]", "check the stock kernels, or those of specs", nil,
		func(c *cobra.Command, specs []string) error {
			as, err := asked()
			if err != nil {
				return err
			}
			return verifySpecs(consoleOf(c), &config, specs, as)
		})
	gridFlags(c, &config)
	c.Flags().BoolVar(&config.Long, "long", false, "also check exhaustive small shapes and larger big ones")
	asked = formFlags(c, "one JSON object a line", formTable, formCSV, formJSON)
	return c
}

func verifySpecs(con *console, c *sweep.Config, specs []string, as form) error {
	defer con.bar.stop()
	all := &collector{bar: con.bar, warn: con.log}
	switch as {
	case formJSON:
		all.next = sweep.JSON{W: con.out}
	case formCSV:
		all.next = &sweep.CSV{W: con.out}
	default:
		all.next = verdictSink{con.out, colours(con.out)}
	}
	if c.Long {
		os.Setenv("TILESMITH_LONG", "1") // which package check reads
	}
	err := runConfig(con, c, sweep.Instruments{}, specs, all)
	con.bar.stop()
	if con.ctx.Err() != nil {
		done, total := all.end()
		return errors.Join(fmt.Errorf("%w: %d of %d variants are verified", context.Cause(con.ctx), done, max(done, total)), all.wrong())
	}
	if err != nil {
		return err
	}
	return all.wrong()
}

// verdictSink prints verdicts for a reader.
type verdictSink struct {
	w io.Writer
	palette
}

func (verdictSink) Machine(*sweep.Machine) error { return nil }
func (verdictSink) Result(*sweep.Result) error   { return nil }

func (s verdictSink) Verdict(v *sweep.Verdict) error {
	for i, line := range v.Lines() {
		if word, rest, ok := strings.Cut(line, " "); ok && i == 0 {
			line = map[string]func(string) string{"ok": s.good, "skip": s.minor, "WRONG": s.bad}[word](word) + " " + rest
		}
		if _, err := fmt.Fprintln(s.w, line); err != nil {
			return err
		}
	}
	return nil
}
