package main

import (
	"context"
	"io"
	"os"
	"testing"

	"github.com/spf13/pflag"
)

// execute runs a command line.
func execute(ctx context.Context, args []string, out, log io.Writer) error {
	return executeCommands(ctx, args, out, log, commands()...)
}

// dispatch runs one whose errors are printed.
func dispatch(args []string, out io.Writer) error {
	return execute(context.Background(), args, out, os.Stderr)
}

// emulate runs a command line and returns all that it prints.
func emulate(line string) (out string, code int) { return printed(line, commands()...) }

// printing is a console of a test.
func printing(t *testing.T, out, log io.Writer) *console { return newConsole(t.Context(), out, log) }

// newRequest reads a command line of gen: what to generate, and into which folder.
func newRequest(args []string) (r *request, out string, err error) {
	err = executeCommands(context.Background(), append([]string{"gen"}, args...), io.Discard, io.Discard, genCommand(func(q *request, _ *console, dir string) error {
		r, out = q, dir
		return nil
	}))
	if err == nil && r == nil {
		err = pflag.ErrHelp // printed, as for gen -0h: nothing was asked
	}
	return r, out, err
}

// TestMain is the command itself, for tests that run it in a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv(envCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

const envCommand = "TILESMITH_TEST_COMMAND"
