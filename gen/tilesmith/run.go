package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/gen"
)

func runCommand() *cobra.Command {
	check := false
	c := newCommand("run [--check] spec.go | DIR | DIR/... ...", "generate the kernels of spec files into their packages",
		specArgs("run takes spec files or folders, as in: tilesmith run spec.go"), func(c *cobra.Command, args []string) error {
			specs, err := specFiles(args)
			if err != nil {
				return err
			}
			return runSpecs(consoleOf(c), specs, check)
		})
	c.Flags().BoolVar(&check, "check", false, "compare with the existing files; exit 1 with a diff if they differ")
	c.ValidArgsFunction = completeSpecs
	return c
}

// runSpecs builds and runs spec files, each for the package that it lies in. When files
// are compared, those of all specs are.
func runSpecs(con *console, specs []string, check bool) error {
	var failed error
	for i, spec := range specs {
		env := gen.EnvReport + "=" + spec
		if check {
			env = gen.EnvCheck + "=1"
		}
		err := startSpec(con, spec, env)
		switch {
		case con.ctx.Err() != nil && !check:
			return fmt.Errorf("%w: %d of %d specs have written their files", context.Cause(con.ctx), i, len(specs))
		case con.ctx.Err() != nil:
			return fmt.Errorf("%w: the files of %d of %d specs are compared", context.Cause(con.ctx), i, len(specs))
		case err != nil && !check:
			return err
		case failed == nil:
			failed = err
		}
	}
	return failed
}

// startSpec runs a spec program in its folder, with env on top of what every spec
// program gets.
func startSpec(con *console, spec string, env ...string) error {
	dir, file := filepath.Dir(spec), filepath.Base(spec)
	if err := checkSpec(spec); err != nil {
		return err
	}
	pkg, err := packageName(dir)
	if err != nil {
		return err
	}
	env = append([]string{gen.EnvPackage + "=" + pkg, gen.EnvSource + "=" + file}, env...)
	con.bar.say("building and running %s", spec)
	defer con.bar.stop()
	overlay, done, err := standIns(dir, spec)
	if err != nil {
		return err
	}
	defer done()
	return goRun(con, dir, file, overlay, true, env)
}

// goRun runs the program file in dir for the package there. overlay is a file for
// go build -overlay, or "". A user's program may end before it says what is wrong.
func goRun(con *console, dir, file, overlay string, users bool, env []string) error {
	reached := ""
	p := program{dir: dir, file: file, overlay: overlay, out: &last{con.bar, con.out}, log: con.log}
	return p.run(con.ctx, func(tmp string) []string {
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
	bar *progress
	to  io.Writer
}

func (l *last) Write(p []byte) (int, error) {
	l.bar.stop()
	return l.to.Write(p)
}
