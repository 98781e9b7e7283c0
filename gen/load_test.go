package gen

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/tilesmith/tilesmith/gen/fn"
)

// What functions of a folder come from is loaded once for all tests, but for folders that tests write themselves.
func init() {
	type loaded struct {
		prog *fn.Program
		err  error
	}
	programs, paths := map[string]loaded{}, map[string]string{}
	changes := func(dir string) (abs string, yes bool) {
		abs, err := filepath.Abs(dir)
		return abs, err != nil || strings.HasPrefix(abs, os.TempDir())
	}
	load = func(dir string, patterns ...string) (*fn.Program, error) {
		abs, yes := changes(dir)
		if yes {
			return fn.Load(dir, patterns...)
		}
		key := abs + "\x00" + strings.Join(patterns, "\x00")
		p, ok := programs[key]
		if !ok {
			p.prog, p.err = fn.Load(dir, patterns...)
			programs[key] = p
		}
		return p.prog, p.err
	}
	pathOf = func(dir string) string {
		abs, yes := changes(dir)
		if yes {
			return lookupPath(dir)
		}
		if paths[abs] == "" {
			paths[abs] = lookupPath(dir)
		}
		return paths[abs]
	}
}
