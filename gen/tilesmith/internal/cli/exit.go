// Package cli has what subcommands of tilesmith share: how a command line is run and ends, what is printed where, and in
// which forms. Start with Main.
package cli

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
type UsageError struct{ error }

func (e UsageError) Unwrap() error { return e.error }

// Usage says that an error is one of the command line, usagef what is wrong with that.
func Usage(err error) error { return UsageError{err} }

func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// A childError says that a program which we ran failed, with this exit code, and
// has said why.
type ChildError int

func (e ChildError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

var (
	// ErrInterrupted is the cause of a context that Ctrl-C or another signal has ended, see signalled.
	ErrInterrupted = errors.New("interrupted")
	// ErrUnread is that of one where the reader of stdout has gone: tilesmith explain | head.
	ErrUnread = errors.New("nobody reads the output any more")
)

// The conventional codes of programs that a signal ends are 128 and its number.
const (
	exitSignal = 128
	exitUnread = exitSignal + 13
)

// Main runs the command line of this program and exits.
func Main(commands ...*cobra.Command) {
	leave := ownTemp(os.Args[1:])
	defer leave() // of a panic
	ctx := untilInterrupt(leave)
	keepOnUnread()
	ctx, unread := context.WithCancelCause(ctx)
	out := &output{File: os.Stdout, unread: unread}
	err := Execute(ctx, os.Args[1:], out, os.Stderr, commands...)
	if err == nil {
		err = out.failed
	}
	leave()
	if context.Cause(ctx) == ErrUnread || isUnread(err) { // whatever became of it, nobody wants to know
		os.Exit(exitUnread)
	}
	var child ChildError
	if err != nil && !errors.As(err, &child) {
		fmt.Fprintln(os.Stderr, Colours(os.Stderr).Bad("tilesmith:"), Sentence(err))
	}
	os.Exit(ExitCode(err))
}

// ExitCode is what the command exits with.
func ExitCode(err error) int {
	var child ChildError
	var by signalled
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrUnread):
		return exitUnread
	case errors.As(err, &by):
		return exitSignal + int(by.by)
	case errors.Is(err, ErrInterrupted):
		return exitSignal + int(syscall.SIGINT)
	case errors.As(err, new(UsageError)):
		return 2
	case errors.As(err, &child) && child == 2:
		return 2
	}
	return 1
}

// Sentence is an error on one line.
func Sentence(err error) string {
	var lines []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	text := strings.Join(lines, "; ")
	return strings.ReplaceAll(text, ":; ", ": ")
}
