//go:build !unix

package machine

import "os"

// regular reports whether a file is a regular one.
func regular(file string) (bool, error) {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular(), err
}
