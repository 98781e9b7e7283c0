package main

import (
	"context"
	"io"
	"testing"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/clitest"
)

// execute runs a command line.
func execute(ctx context.Context, args []string, out, log io.Writer) error {
	return cli.Execute(ctx, args, out, log, commands()...)
}

// dispatch runs one whose errors are printed.
func dispatch(args []string, out io.Writer) error { return clitest.Dispatch(args, out, commands()...) }

// emulate runs one and returns all that it prints.
func emulate(line string) (out string, code int) { return clitest.Output(line, commands()...) }

func TestMain(m *testing.M) { clitest.Main(m, commands()...) }
