package cli

import (
	"os"
	"path/filepath"

	"github.com/tilesmith/tilesmith/internal/outfile"
)

// CheckOutputs refuses files that could not be written, and two of one name, of which only the second would be left, or an
// input. Names that are empty are no files; those of devices and pipes may come twice.
func CheckOutputs(names []string, inputs ...string) error {
	all := append(inputs, names...)
	for i, a := range all {
		for _, b := range all[:i] {
			if a != "" && b != "" && oneFile(a, b) {
				return Usagef("%s would be written over by what goes to %s: name another file", b, a)
			}
		}
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		if err := outfile.Check(name); err != nil {
			return err
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
