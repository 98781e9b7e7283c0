package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/tilesmith/tilesmith/internal/child"
)

// A program is a Go file that is built and run. The go command could do both, but ends
// without the program when it is killed, which would go on alone.
type program struct {
	dir, file string
	overlay   string // for go build -overlay, or ""
	out, log  io.Writer
}

// run builds the program and runs it, with what env returns added to the environment: it is
// given a folder that is removed at the end. ended is asked when the program has ended by
// itself, before its exit code is returned.
func (p *program) run(ctx context.Context, env func(tmp string) []string, ended func(code int) error) error {
	tmp, err := os.MkdirTemp(os.Getenv("GOTMPDIR"), "tilesmith-run-") // the go command leaves some of its own when it is interrupted
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	binary := filepath.Join(tmp, "spec")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	args := []string{"build", "-buildvcs=false", "-ldflags=-s -w", "-o", binary}
	if p.overlay != "" {
		args = append(args, "-overlay="+p.overlay)
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := child.Command(ctx, name, args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, p.out, p.log
		cmd.Env = append(append(hostEnv(), "GOTMPDIR="+tmp), env(tmp)...)
		return cmd
	}
	err = childOf(settle(ctx, child.Run(command("go", append(args, p.file)...))), "go build "+p.file)
	if err == nil {
		err = p.end(ctx, command(binary), ended)
	}
	if ctx.Err() != nil { // of which the go command says more than anybody wants to know
		return context.Cause(ctx)
	}
	return err
}

// end runs the program itself.
func (p *program) end(ctx context.Context, cmd *exec.Cmd, ended func(code int) error) error {
	err := settle(ctx, child.Run(cmd))
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() < 0 {
		return fmt.Errorf("%s: %w", p.file, err) // by a signal
	}
	if cmd.ProcessState != nil {
		if err := ended(cmd.ProcessState.ExitCode()); err != nil {
			return err
		}
	}
	return childOf(err, p.file)
}
