// Package specfile finds spec files, and builds and runs them: tilesmith run and explain.
package specfile

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
)

func RunCommand() *cobra.Command {
	check := false
	c := cli.NewCommand("run [--check] spec.go | DIR | DIR/... ...", "generate the kernels of spec files into their packages",
		cli.SomeArgs("run takes spec files or folders, as in: tilesmith run spec.go"), func(c *cobra.Command, args []string) error {
			specs, err := specFiles(args)
			if err != nil {
				return err
			}
			return runSpecs(cli.ConsoleOf(c), specs, check)
		})
	c.Flags().BoolVar(&check, "check", false, "compare with the existing files; exit 1 with a diff if they differ")
	c.ValidArgsFunction = cli.CompleteSpecs
	return c
}

// runSpecs builds and runs spec files, each for the package that it lies in. When files
// are compared, those of all specs are.
func runSpecs(con *cli.Console, specs []string, check bool) error {
	var failed error
	for i, spec := range specs {
		env := gen.EnvReport + "=" + spec
		if check {
			env = gen.EnvCheck + "=1"
		}
		err := startSpec(con, spec, env)
		switch {
		case con.Ctx.Err() != nil && !check:
			return fmt.Errorf("%w: %d of %d specs have written their files", context.Cause(con.Ctx), i, len(specs))
		case con.Ctx.Err() != nil:
			return fmt.Errorf("%w: the files of %d of %d specs are compared", context.Cause(con.Ctx), i, len(specs))
		case err != nil && !check:
			return err
		case failed == nil:
			failed = err
		}
	}
	return failed
}

// startSpec runs a spec program in its folder, with env on top of what every spec
// Program gets.
func startSpec(con *cli.Console, spec string, env ...string) error {
	dir, file := filepath.Dir(spec), filepath.Base(spec)
	if err := Check(spec); err != nil {
		return err
	}
	pkg, err := PackageName(dir)
	if err != nil {
		return err
	}
	env = append([]string{gen.EnvPackage + "=" + pkg, gen.EnvSource + "=" + file}, env...)
	con.Bar.Say("building and running %s", spec)
	defer con.Bar.Stop()
	overlay, done, err := StandIns(dir, spec)
	if err != nil {
		return err
	}
	defer done()
	return Run(con, dir, file, overlay, true, env)
}

// Run runs the program file in dir for the package there. overlay is a file for
// go build -overlay, or "". A user's program may end before it says what is wrong.
func Run(con *cli.Console, dir, file, overlay string, users bool, env []string) error {
	reached := ""
	p := Program{Dir: dir, File: file, Overlay: overlay, Out: &last{con.Bar, con.Out}, Log: con.Log}
	return p.Run(con.Ctx, func(tmp string) []string {
		reached = filepath.Join(tmp, "reached")
		return append([]string{gen.EnvOut + "=.", gen.EnvReached + "=" + reached}, env...)
	}, func(code int) error {
		if _, missing := os.Stat(reached); users && missing != nil {
			return fmt.Errorf("%s ended with exit status %d before it called gen.Main, and nothing was generated; that is the last call of its main", file, code)
		}
		return nil
	})
}

// last hides the line at the foot of the terminal for good when data come.
type last struct {
	bar *cli.Progress
	to  io.Writer
}

func (l *last) Write(p []byte) (int, error) {
	l.bar.Stop()
	return l.to.Write(p)
}
