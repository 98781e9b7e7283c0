package gen

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/arm64"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/emit/unit"
)

// backend prints functions for an architecture.
type backend struct {
	emit.Backend
	// built is the build constraint of the file of functions, and called that of the Go
	// file that declares them; "" if none does.
	built, called string
}

// backends are those that there are, by architecture. One with a Go file's constraint
// has its name end in the architecture, too.
var backends = map[string]backend{
	"amd64": {amd64.Backend{}, "!noasm && !purego", "amd64 && !noasm && !purego"},
	"arm64": {arm64.Backend{}, "!noasm && !purego", "arm64 && !noasm && !purego"},
	"ptx":   {Backend: ptx.Backend{}},
}

// noasmTag is the constraint of Go files for where the functions of no architecture are.
func noasmTag(archs []string) string {
	not := "!" + strings.Join(archs, " && !")
	if len(archs) > 1 {
		not = "(" + not + ")"
	}
	return not + " || noasm || purego"
}

// backendOf is the backend for a target.
func backendOf(t emit.Target) (backend, error) {
	b, ok := backends[t.Arch]
	if !ok {
		return b, fmt.Errorf("no backend for %s, the architecture of target %q", cmp.Or(t.Arch, `""`), t.Name)
	}
	return b, nil
}

// passes runs the passes of the backend over functions, and shows each.
func passes(o Options, t emit.Target, fs []unit.Kernel) error {
	b, err := backendOf(t)
	if err != nil {
		return err
	}
	for _, f := range fs {
		if o.Dump != nil {
			f.Number()
			o.Dump(t.Name, passLower, f.Func)
		}
		if err := emit.Run(f.Func, b.Passes(t), func(pass string, f *emit.Func) {
			if o.Dump != nil {
				o.Dump(t.Name, pass, f)
			}
		}); err != nil {
			return err
		}
	}
	return nil
}
