package main

import (
	"context"
	"io"
	"os"
	"testing"

	"github.com/spf13/pflag"
)

// dispatch runs a command line.
func dispatch(args []string, out io.Writer) error {
	return execute(context.Background(), args, out, os.Stderr)
}

// printing is a console of a test.
func printing(t *testing.T, out, log io.Writer) *console { return newConsole(t.Context(), out, log) }

// newRequest reads a command line of gen: what to generate, and into which folder.
func newRequest(args []string) (r *request, out string, err error) {
	if err := printable(args); err != nil {
		return nil, "", err
	}
	root := newRoot(nil)
	for _, c := range root.Commands() {
		if c.Name() == "gen" {
			root.RemoveCommand(c)
		}
	}
	root.AddCommand(genCommand(func(q *request, _ *console, dir string) error {
		r, out = q, dir
		return nil
	}))
	root.SetArgs(append([]string{"gen"}, args...))
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	if err = root.ExecuteContext(context.Background()); err == nil && r == nil {
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
