package demo

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/specfile"
	"github.com/tilesmith/tilesmith/internal/child"
)

// buildDemo builds the demo's program from files and a main function that hands
// them to package gen/demo. tmp becomes a module that has tilesmith's source in place.
// A build overlay would save that, but Go allows none below its module cache, where
// most users have the source.
func buildDemo(con *cli.Console, source, tmp string, files []gen.File) (binary string, err error) {
	program, err := demoMain()
	if err != nil {
		return "", err
	}
	module, sum, err := cli.ModuleOver(source, "demo")
	if err != nil {
		return "", fmt.Errorf("%s is not the whole of tilesmith's source: %w", source, err)
	}
	kernels := filepath.Join(tmp, "kernels")
	if err := os.Mkdir(kernels, 0o700); err != nil {
		return "", err
	}
	if err := gen.Write(kernels, files); err != nil {
		return "", err
	}
	for name, data := range map[string][]byte{"main.go": program, "go.mod": module, "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(tmp, name), data, 0o600); err != nil {
			return "", err
		}
	}
	binary = filepath.Join(tmp, "demo")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	cmd := child.Command(con.Ctx, "go", "build", "-mod=mod", "-buildvcs=false", "-ldflags=-s -w", "-o", binary, ".")
	cmd.Dir, cmd.Stdout, cmd.Stderr = tmp, con.Log, con.Log
	cmd.Env = append(specfile.HostEnv(), "CGO_ENABLED=0", "GOWORK=off", "PWD="+tmp, "GOTMPDIR="+tmp)
	return binary, specfile.Child(cli.Settle(con.Ctx, child.Run(cmd)), "go build")
}

// demoMain is the main function of the demo.
func demoMain() ([]byte, error) {
	var b strings.Builder
	b.WriteString(`package main

import (
	"demo/kernels"

	"github.com/tilesmith/tilesmith/gen/demo"
)

func main() {
	demo.Main(
`)
	for i, s := range demoSpecs() {
		mr, nr, err := tileOf(s)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "\t\tdemo.Product[%s]{Name: %q, MR: %d, NR: %d, Gemm: kernels.%sOpt},\n",
			[]string{"float32", "float64"}[i], s.Kernel(), mr, nr, s.Kernel())
	}
	b.WriteString("\t)\n}\n")
	return []byte(b.String()), nil
}

// tileOf returns the rows of the tallest tile of s and the columns of the widest:
// where the suite looks for edges.
func tileOf(s gen.Spec) (mr, nr int, err error) {
	d := s.(interface{ Describe() gemm.Description }).Describe()
	targets, err := gen.TargetsOf(s)
	if err != nil {
		return 0, 0, err
	}
	for _, t := range targets {
		m, err := simd.Lower(d, t, simd.Options{})
		if err != nil {
			return 0, 0, err
		}
		mr, nr = max(mr, m.MR), max(nr, m.NV*m.VL)
	}
	return mr, nr, nil
}
