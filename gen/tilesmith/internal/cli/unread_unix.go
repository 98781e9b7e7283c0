//go:build unix

package cli

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// keepOnUnread makes writing to a pipe that nobody reads an error, as any other: temporary
// files are to be removed before the program ends.
func keepOnUnread() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// isUnread reports whether a write failed because of that.
func isUnread(err error) bool { return errors.Is(err, syscall.EPIPE) }
