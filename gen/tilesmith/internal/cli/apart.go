package cli

import (
	"os"
	"path/filepath"
)

// Apart refuses to write two files of one name, of which only the second would be left. Names of devices and pipes may come twice.
func Apart(names ...string) error {
	for i, a := range names {
		for _, b := range names[:i] {
			if a != "" && b != "" && oneFile(a, b) {
				return Usagef("%s would be written over by what goes to %s: name another file", b, a)
			}
		}
	}
	return nil
}

// oneFile reports whether two names are of one regular file, which may not be there yet.
func oneFile(a, b string) bool {
	x, err := os.Stat(a)
	y, other := os.Stat(b)
	if err == nil && other == nil {
		return x.Mode().IsRegular() && os.SameFile(x, y)
	}
	a, err = filepath.Abs(a)
	b, other = filepath.Abs(b)
	return err == nil && other == nil && a == b
}
