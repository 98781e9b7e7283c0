package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
)

const modulePath = "github.com/tilesmith/tilesmith"

//go:embed demo/spec.go
var demoSpec string

// demoSpecs are the specs of demo/spec.go, to be generated in this process: a
// demo that began by building the spec program would take a second longer. A test
// holds the two together.
func demoSpecs() []gen.Spec {
	return []gen.Spec{
		gemm.Spec[float32, float32, float32, float32]{Name: "Single"},
		gemm.Spec[float64, float64, float64, float64]{Name: "Double"},
	}
}

// demo generates, builds and runs the embedded default, in a temporary folder
// that is a module of its own; nothing is written elsewhere.
func demo(args []string) error {
	flags := newFlags("demo", "[--quick] [--isa ISA]")
	quick := flags.Bool("quick", false, "time the best ISA and smaller products only")
	isa := flags.String("isa", "", "verify and time one variant: avx512, avx2 or go, the portable code (default: all)")
	if err := parse(flags, args, 0, "demo takes no arguments besides flags"); err != nil {
		return err
	}
	ctx, stop := untilInterrupt()
	defer stop()
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
		fmt.Fprintf(os.Stderr, "%5.1f s  %s\n", time.Since(start).Seconds(), fmt.Sprintf(format, args...))
	}
	files, err := demoFiles()
	if err != nil {
		return err
	}
	printFiles(files)
	step("generated; building with go build, CGO_ENABLED=0 (the first time this compiles the libraries, too)")
	binary, err := buildDemo(ctx, module, tmp, files)
	if err != nil {
		return err
	}
	step("built; verifying, then timing on one core")
	cmd := interruptible(ctx, binary, "-isa="+*isa, fmt.Sprintf("-quick=%v", *quick))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := childOf(cmd.Run(), "the demo"); err != nil {
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
func printFiles(files []gen.File) {
	fmt.Print("spec.go\n\n")
	for line := range strings.Lines(demoSpec) {
		fmt.Print("    ", line)
	}
	fmt.Print("\ngenerated\n\n")
	for _, f := range files {
		fmt.Printf("    %-28s %6d lines\n", f.Name, strings.Count(string(f.Data), "\n"))
	}
	fmt.Println()
}

// moduleDir returns the folder of tilesmith's source: the checkout that we are
// in, or what the module that we are in requires.
func moduleDir(ctx context.Context) (string, error) {
	cmd := interruptible(ctx, "go", "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", modulePath)
	cmd.Env = hostEnv()
	out, err := cmd.Output()
	dir := strings.TrimSpace(string(out))
	if err := childOf(err, "go list"); err != nil && err != (childError{1}) {
		return "", err
	}
	if err != nil || dir == "" {
		wd, _ := os.Getwd()
		return "", fmt.Errorf("%s: the demo is built from tilesmith's source and this is not a module that has it; "+
			"run it in a checkout, or after: go get -tool %s/gen/tilesmith", wd, modulePath)
	}
	return dir, nil
}
