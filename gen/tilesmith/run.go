package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/gen"
)

func runCommand() *cobra.Command {
	check := false
	c := newCommand("run [--check] spec.go | DIR | DIR/... ...", "generate what spec files describe into their packages",
		specArgs("run takes spec files or folders, as in: tilesmith run spec.go"), func(c *cobra.Command, args []string) error {
			specs, err := specFiles(args)
			if err != nil {
				return err
			}
			return runSpecs(consoleOf(c), specs, check)
		})
	c.Flags().BoolVar(&check, "check", false, "compare with the files that are there; exit 1 with a diff if they differ")
	c.ValidArgsFunction = completeSpecs
	return c
}

// runSpecs builds and runs spec files, each for the package that it lies in. Where files
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
// go run -overlay, or "". A user's program may end before it says what is wrong.
func goRun(con *console, dir, file, overlay string, users bool, env []string) error {
	args := []string{"run"}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	tmp, err := os.MkdirTemp(os.Getenv("GOTMPDIR"), "tilesmith-run-") // go run leaves some of its own when it is interrupted
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	cmd := interruptible(con.ctx, "go", append(args, file)...)
	stderr := &exitLine{w: con.log}
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &last{con.bar, con.out}, stderr
	reached := filepath.Join(tmp, "reached")
	cmd.Env = append(append(hostEnv(), gen.EnvOut+"=.", "GOTMPDIR="+tmp, gen.EnvReached+"="+reached), env...)
	err = childOf(cmd.Run(), "go run "+file)
	if con.ctx.Err() != nil { // of which the go command says more than anybody wants to know
		return context.Cause(con.ctx)
	}
	code, werr := stderr.close()
	if _, missing := os.Stat(reached); users && missing != nil && (err == nil || code != 0) {
		return fmt.Errorf("%s ended with exit status %d before it called gen.Main, and nothing was generated; that is the last call of its main", file, code)
	}
	if child := (childError{}); errors.As(err, &child) && code != 0 {
		return childError{code}
	}
	return errors.Join(err, werr)
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

// exitLine passes on what go run writes, except for its own last line, "exit
// status 2", which is the only place where it says so.
type exitLine struct {
	w    io.Writer
	last []byte // not passed on yet: the last line
}

func (e *exitLine) Write(p []byte) (int, error) {
	e.last = append(e.last, p...)
	i := bytes.LastIndexByte(e.last[:max(0, len(e.last)-1)], '\n') + 1
	if _, err := e.w.Write(e.last[:i]); err != nil {
		return 0, err
	}
	e.last = append([]byte(nil), e.last[i:]...)
	return len(p), nil
}

// close returns the exit code in the last line, or writes that line.
func (e *exitLine) close() (code int, err error) {
	if s, ok := strings.CutPrefix(strings.TrimSpace(string(e.last)), "exit status "); ok {
		if code, err := strconv.Atoi(s); err == nil {
			return code, nil
		}
	}
	_, err = e.w.Write(e.last)
	return 0, err
}

// childOf turns the error of a program that has spoken for itself into its exit
// code, and says of any other what could not be run.
func childOf(err error, what string) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit):
		return childError{exit.ExitCode()}
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%s: the go command is needed and is not in PATH", what)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// hostEnv is the environment without what would make go run build for another
// machine: GOOS=windows go generate must still run the generator here; and without
// what a spec program might take for an order.
func hostEnv() []string {
	var env []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if name == "GOOS" || name == "GOARCH" || strings.HasPrefix(name, "TILESMITH_GEN_") {
			continue
		}
		env = append(env, e)
	}
	return env
}
