//go:build unix

package machine

import (
	"os"
	"syscall"
)

// regular reports whether a file is a regular one. It is os.Stat without fs.FileInfo; see contents.
func regular(file string) (bool, error) {
	var s syscall.Stat_t
	err := syscall.Stat(file, &s)
	for err == syscall.EINTR {
		err = syscall.Stat(file, &s)
	}
	if err != nil {
		return false, &os.PathError{Op: "stat", Path: file, Err: err}
	}
	return s.Mode&syscall.S_IFMT == syscall.S_IFREG, nil
}
