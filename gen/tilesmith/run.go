package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tilesmith/tilesmith/gen"
)

// runSpec builds and runs a spec file for the package that it lies in.
func runSpec(args []string) error {
	flags := newFlags("run", "[--check] spec.go")
	check := flags.Bool("check", false, "compare with the files that are there; exit 1 with a diff if they differ")
	if err := parse(flags, args, 1, "run takes one spec file, as in: tilesmith run spec.go"); err != nil {
		return err
	}
	if *check {
		return startSpec(flags.Arg(0), gen.EnvCheck+"=1")
	}
	return startSpec(flags.Arg(0))
}

// startSpec runs a spec program in its folder, with env on top of what every spec
// program gets.
func startSpec(spec string, env ...string) error {
	dir, file := filepath.Dir(spec), filepath.Base(spec)
	if err := checkSpec(spec); err != nil {
		return err
	}
	pkg, err := packageName(dir)
	if err != nil {
		return err
	}
	env = append([]string{gen.EnvPackage + "=" + pkg, gen.EnvSource + "=" + file}, env...)
	overlay, done, err := standIns(dir, spec)
	if err != nil {
		return err
	}
	defer done()
	return goRun(dir, file, overlay, env)
}

// goRun runs the program file in dir for the package there. overlay is a file for
// go run -overlay, or "".
func goRun(dir, file, overlay string, env []string) error {
	args := []string{"run"}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	ctx, stop := untilInterrupt()
	defer stop()
	cmd := interruptible(ctx, "go", append(args, file)...)
	stderr := &exitLine{w: os.Stderr}
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stdout, stderr
	cmd.Env = append(append(hostEnv(), gen.EnvOut+"=."), env...)
	err := childOf(cmd.Run(), "go run "+file)
	code, werr := stderr.close()
	if child := (childError{}); errors.As(err, &child) && code != 0 {
		return childError{code}
	}
	return errors.Join(err, werr)
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
