//go:build !unix

package cli

import (
	"errors"
	"syscall"
)

// keepOnUnread has nothing to do: there is no signal.
func keepOnUnread() {}

// isUnread reports whether a write failed because nobody reads the other end of a pipe.
// The two numbers are what Windows calls ERROR_BROKEN_PIPE and ERROR_NO_DATA.
func isUnread(err error) bool {
	return onWindows && (errors.Is(err, syscall.Errno(109)) || errors.Is(err, syscall.Errno(232)))
}
