package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// A usageError is a wrong command line: exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// A childError says that a program which we ran failed, with this exit code, and
// has said why.
type childError struct{ code int }

func (e childError) Error() string { return fmt.Sprintf("exit status %d", e.code) }

var (
	// errInterrupted is the cause of a context that Ctrl-C or another signal has ended, see signalled.
	errInterrupted = errors.New("interrupted")
	// errUnread is that of one where the reader of stdout has gone: tilesmith explain | head.
	errUnread = errors.New("nobody reads the output any more")
)

// The conventional codes of programs that a signal ends are 128 and its number.
const (
	exitSignal = 128
	exitUnread = exitSignal + 13
)

// runMain runs the command line of this program and exits.
func runMain(commands ...*cobra.Command) {
	leave := ownTemp(os.Args[1:])
	defer leave() // of a panic
	ctx := untilInterrupt(leave)
	keepOnUnread()
	ctx, unread := context.WithCancelCause(ctx)
	out := &output{File: os.Stdout, unread: unread}
	err := executeCommands(ctx, os.Args[1:], out, os.Stderr, commands...)
	if err == nil {
		err = out.failed
	}
	leave()
	if context.Cause(ctx) == errUnread || isUnread(err) { // whatever became of it, nobody wants to know
		os.Exit(exitUnread)
	}
	var child childError
	if err != nil && !errors.As(err, &child) {
		fmt.Fprintln(os.Stderr, colours(os.Stderr).bad("tilesmith:"), sentence(err))
	}
	os.Exit(exitCode(err))
}

// exitCode is what the command exits with.
func exitCode(err error) int {
	var child childError
	var by signalled
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUnread):
		return exitUnread
	case errors.As(err, &by):
		return exitSignal + int(by.by)
	case errors.Is(err, errInterrupted):
		return exitSignal + int(syscall.SIGINT)
	case errors.As(err, new(usageError)):
		return 2
	case errors.As(err, &child) && child.code == 2:
		return 2
	}
	return 1
}

// sentence is an error on one line.
func sentence(err error) string {
	var lines []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	text := strings.Join(lines, "; ")
	return strings.ReplaceAll(text, ":; ", ": ")
}
