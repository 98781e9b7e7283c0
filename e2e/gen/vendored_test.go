package gen_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit/unit"
)

// equationSpec imports packages of ours that a product's does not.
const equationSpec = `//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/tpp"
	"github.com/tilesmith/tilesmith/gen"
)

func main() {
	x := tpp.In(gemm.Full[float32]("x"))
	gen.Main(tpp.Spec{Name: "Softmax", Outs: []tpp.Output{tpp.Out("out", tpp.Softmax(x))}})
}
`

// vendor makes the folder vendor of what the tool imports, as go mod vendor does, which asks for
// modules that nobody imports, from the network.
func (s *scratch) vendor() {
	s.t.Helper()
	type module struct{ path, version, needs, goes string }
	var order []module
	packages := map[string][]string{}
	at := map[string]string{}
	for line := range strings.Lines(s.goes("list", "-deps", "-tags=vendored", "-f", "{{with .Module}}{{.Path}}\t{{.Version}}\t{{with .Replace}} => {{.Path}}{{end}}\t{{.GoVersion}}\t{{$.ImportPath}}\t{{$.Dir}}{{end}}", "tool")) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		m := module{f[0], f[1], f[2], f[3]}
		if packages[m.path] == nil {
			order = append(order, m)
		}
		packages[m.path] = append(packages[m.path], f[4])
		at[f[4]] = f[5]
	}
	var text strings.Builder
	for _, m := range order {
		slices.Sort(packages[m.path])
		fmt.Fprintf(&text, "# %s %s%s\n## explicit; go %s\n%s\n", m.path, m.version, m.needs, m.goes, strings.Join(packages[m.path], "\n"))
	}
	// Of the others that go.mod lists no package is needed.
	for line := range strings.Lines(s.goes("list", "-m", "-f", "{{if not .Main}}{{.Path}} {{.Version}}{{end}}", "all")) {
		path, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		if path != "" && packages[path] == nil && strings.Contains(scratchModule(s.t), "\t"+path+" "+version) {
			fmt.Fprintf(&text, "# %s %s\n## explicit\n", path, version)
		}
	}
	for p, dir := range at {
		entries, err := os.ReadDir(dir)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, e := range entries {
			if e.IsDir() || strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				s.t.Fatal(err)
			}
			s.put("vendor/"+p+"/"+e.Name(), string(data))
		}
	}
	fmt.Fprintf(&text, "# %s => %s\n", strings.TrimSuffix(unit.Module, "/"), root(s.t))
	s.put("vendor/modules.txt", text.String())
}

// TestVendored finds what a spec file imports among what go mod vendor copies for the tool's sake, and
// with TILESMITH_LONG generates from it.
func TestVendored(t *testing.T) {
	s := newScratch(t, map[string]string{"soft/doc.go": "// Package soft has softmax.\npackage soft\n", "soft/spec.go": equationSpec})
	s.vendor()
	s.env[0] = "GOFLAGS=-mod=vendor -buildvcs=false"
	s.goes("list", "-deps", "./soft/spec.go")
	if !long() { // which compiles all of it once more
		return
	}
	s.makes("soft", "run", "spec.go")
	s.goes("list", "-deps", "-test", "./...")
	s.goes("test", "./soft")
}
