package sweepcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/verify/sweep"
)

// VerifyCommand puts kernels through every check.
func VerifyCommand() *cobra.Command {
	config := sweep.Config{Verify: true}
	var asked func() (cli.Form, error)
	c := cli.NewCommand("verify [spec.go | DIR | DIR/... ...] [FLAGS]", "check the stock kernels, or those of specs", nil,
		func(c *cobra.Command, specs []string) error {
			as, err := asked()
			if err != nil {
				return err
			}
			return verifySpecs(cli.ConsoleOf(c), &config, specs, as)
		})
	gridFlags(c, &config)
	c.Flags().BoolVar(&config.Long, "long", false, "also check exhaustive small shapes and larger big ones")
	asked = cli.FormFlags(c, "one JSON object a line", cli.FormTable, cli.FormCSV, cli.FormJSON)
	return c
}

func verifySpecs(con *cli.Console, c *sweep.Config, specs []string, as cli.Form) error {
	defer con.Bar.Stop()
	all := &collector{bar: con.Bar, warn: con.Log}
	switch as {
	case cli.FormJSON:
		all.next = sweep.JSON{W: con.Out}
	case cli.FormCSV:
		all.next = &sweep.CSV{W: con.Out}
	default:
		all.next = verdictSink{con.Out, cli.Colours(con.Out)}
	}
	if c.Long {
		os.Setenv("TILESMITH_LONG", "1") // which package check reads
	}
	err := runConfig(con, c, sweep.Instruments{}, specs, all)
	con.Bar.Stop()
	if con.Ctx.Err() != nil {
		done, total := all.end()
		return errors.Join(fmt.Errorf("%w: %d of %d variants are verified", context.Cause(con.Ctx), done, max(done, total)), all.wrong())
	}
	if err != nil {
		return err
	}
	if line := executed(thisHardware(), all.verdicts); line != "" {
		fmt.Fprintf(con.Log, "tilesmith: %s\n", line)
	}
	return all.wrong()
}

// verdictSink prints verdicts for a reader.
type verdictSink struct {
	w io.Writer
	cli.Palette
}

func (verdictSink) Machine(*sweep.Machine) error { return nil }
func (verdictSink) Result(*sweep.Result) error   { return nil }

func (s verdictSink) Verdict(v *sweep.Verdict) error {
	for i, line := range v.Lines() {
		if word, rest, ok := strings.Cut(line, " "); ok && i == 0 {
			line = map[string]func(string) string{"ok": s.Good, "skip": s.Minor, "WRONG": s.Bad}[word](word) + " " + rest
		}
		if _, err := fmt.Fprintln(s.w, line); err != nil {
			return err
		}
	}
	return nil
}
