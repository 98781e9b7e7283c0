// Package demo generates, builds and runs a default that it has in it: tilesmith demo.
package demo

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/specfile"
	"github.com/tilesmith/tilesmith/internal/child"
)

//go:embed spec.go
var demoSpec string

// demoSpecs are the specs of spec.go, to be generated in this process. A demo that
// began by building the spec program would take a second longer. A test holds the two
// together.
func demoSpecs() []gen.Spec {
	return []gen.Spec{
		gemm.Spec[float32, float32, float32, float32]{Name: "Single"},
		gemm.Spec[float64, float64, float64, float64]{Name: "Double"},
	}
}

// Command generates, builds and runs the embedded default, in a temporary folder
// that is a module of its own; nothing is written elsewhere.
func Command() *cobra.Command {
	var quick bool
	var isa string
	c := cli.NewCommand("demo [--quick] [--isa ISA]", "generate, build, verify and time an embedded default",
		cli.Exactly(0, "demo takes no arguments besides flags"), func(c *cobra.Command, _ []string) error {
			return demo(cli.ConsoleOf(c), quick, isa)
		})
	c.Flags().BoolVar(&quick, "quick", false, "time the best ISA and smaller products only")
	c.Flags().StringVar(&isa, "isa", "", "verify and time one variant: avx512, avx2 or go, the portable code (default: all)")
	cli.Values(c, "isa", run.ISAs()...)
	return c
}

func demo(con *cli.Console, quick bool, isa string) (err error) {
	ctx := con.Ctx
	at := "before anything was built"
	defer func() {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w %s; nothing is left behind", context.Cause(ctx), at)
		}
	}()
	module, err := moduleDir(ctx)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "tilesmith-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)

	start := time.Now()
	step := func(format string, args ...any) {
		fmt.Fprintf(con.Log, "%5.1f s  %s\n", time.Since(start).Seconds(), fmt.Sprintf(format, args...))
	}
	files, err := demoFiles()
	if err != nil {
		return err
	}
	printFiles(con.Out, files)
	step("generated; building with go build, CGO_ENABLED=0 (the first time this compiles the libraries, too)")
	at = "while it was built"
	con.Bar.Say("building")
	binary, err := buildDemo(con, module, tmp, files)
	con.Bar.Stop()
	if err != nil {
		return err
	}
	step("built; verifying, then timing on one core")
	at = "while it was verified or timed; what is above was done"
	cmd := child.Command(ctx, binary, "-isa="+isa, fmt.Sprintf("-quick=%v", quick))
	cmd.Stdout, cmd.Stderr = con.Out, con.Log
	if err := specfile.Child(cli.Settle(ctx, child.Run(cmd)), "the demo"); err != nil {
		return err
	}
	step("done; nothing was left behind")
	return nil
}

// demoFiles is the generated package.
func demoFiles() ([]gen.File, error) {
	return gen.Generate(gen.Options{Package: "kernels", Source: "spec.go"}, demoSpecs()...)
}

// printFiles shows the spec and what came of it.
func printFiles(out io.Writer, files []gen.File) {
	fmt.Fprint(out, "spec.go\n\n")
	for line := range strings.Lines(demoSpec) {
		fmt.Fprint(out, "    ", line)
	}
	fmt.Fprint(out, "\ngenerated\n\n")
	for _, f := range files {
		fmt.Fprintf(out, "    %-28s %6d lines\n", f.Name, strings.Count(string(f.Data), "\n"))
	}
	fmt.Fprintln(out)
}

// moduleDir returns the folder of tilesmith's source: the checkout that we are
// in, or what the module that we are in requires.
func moduleDir(ctx context.Context) (string, error) {
	cmd := child.Command(ctx, "go", "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", cli.ModulePath)
	cmd.Env = specfile.HostEnv()
	out, err := child.Output(cmd)
	dir := strings.TrimSpace(string(out))
	if err := specfile.Child(err, "go list"); err != nil && err != cli.ChildError(1) {
		return "", err
	}
	if err != nil || dir == "" {
		wd, _ := os.Getwd()
		return "", fmt.Errorf("%s: the demo is built from tilesmith's source and this is not a module that has it; "+
			"run it in a checkout, or after: go get -tool %s/gen/tilesmith", wd, cli.ModulePath)
	}
	return dir, nil
}
