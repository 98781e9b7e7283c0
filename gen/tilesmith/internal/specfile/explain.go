package specfile

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/machinecmd"
)

// ExplainCommand runs a spec program that prints one function pass by pass instead of
// writing files. It also prints what an epilogue costs, and how fast kernels should be.
func ExplainCommand() *cobra.Command {
	var e gen.Explanation
	c := cli.NewCommand("explain spec.go | DIR | DIR/... [--target avx512] [--pass NAME] [--func NAME] [--machine this]",
		"how fast kernels should be, and the IR and the assembly of a function",
		cli.SomeArgs("explain takes spec files or folders, as in: tilesmith explain spec.go"), func(c *cobra.Command, args []string) error {
			return explain(cli.ConsoleOf(c), e, args)
		})
	flags := c.Flags()
	flags.StringVar(&e.Target, "target", "", "the target to show (default: the spec's first)")
	flags.StringVar(&e.Pass, "pass", "", "show the function after this pass only: go, lower, one of the backend's, asm, or llvm for LLVM IR")
	flags.StringVar(&e.Func, "func", "", "the function to show, or the end of its name, as in epi or 6x16\n(default: the first epilogue, else the one with the most multiply-adds)")
	flags.StringVar(&e.Machine, "machine", "", "what predictions are for: reference, which is the same everywhere, this (the data of this processor), measured\n(this one, in three seconds), a core that there are data of, as in \"AMD Zen 5\", or a file of tilesmith machine\n(default: reference)")
	var targets []string
	for _, t := range gen.Known() {
		targets = append(targets, t.Name)
	}
	cli.Values(c, "target", targets...)
	c.ValidArgsFunction = cli.CompleteSpecs
	return c
}

func explain(con *cli.Console, e gen.Explanation, args []string) error {
	con.Bar.Say("looking at the machine")
	defer con.Bar.Stop()
	m, err := machinecmd.For(e.Machine)
	if err != nil {
		return err
	}
	if m != nil {
		text, err := json.Marshal(m)
		if err != nil {
			return err
		}
		e.Machine = string(text)
	}
	specs, err := specFiles(args)
	if err != nil {
		return err
	}
	for i, spec := range specs {
		if len(specs) > 1 {
			head := cli.Colours(con.Out).Head("#### " + spec)
			if _, err := fmt.Fprintf(con.Out, "%s%s\n\n", strings.Repeat("\n", min(i, 1)), head); err != nil {
				return err
			}
		}
		if err := startSpec(con, spec, gen.EnvExplain+"="+e.Env()); err != nil {
			if con.Ctx.Err() != nil {
				return fmt.Errorf("%w: %d of %d specs are explained", err, i, len(specs))
			}
			return err
		}
	}
	return nil
}
