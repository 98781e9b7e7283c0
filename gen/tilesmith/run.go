package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tilesmith/tilesmith/gen"
)

// runSpec builds and runs a spec file for the package that it lies in.
func runSpec(args []string) error {
	flags := newFlags("run", "[--check] spec.go")
	check := flags.Bool("check", false, "compare with the files that are there; exit 1 with a diff if they differ")
	if err := parse(flags, args, 1, "run takes one spec file, as in: tilesmith run spec.go"); err != nil {
		return err
	}
	if *check {
		return startSpec(flags.Arg(0), gen.EnvCheck+"=1")
	}
	return startSpec(flags.Arg(0))
}

// startSpec runs a spec program in its folder, with env on top of what every spec
// program gets.
func startSpec(spec string, env ...string) error {
	dir, file := filepath.Dir(spec), filepath.Base(spec)
	if err := checkSpec(spec); err != nil {
		return err
	}
	pkg, err := packageName(dir)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "run", file)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stdout, os.Stderr
	cmd.Env = append(hostEnv(), gen.EnvOut+"=.", gen.EnvPackage+"="+pkg, gen.EnvSource+"="+file)
	cmd.Env = append(cmd.Env, env...)
	return childOf(cmd.Run(), "go run "+spec)
}

// childOf turns the error of a program that has spoken for itself into its exit
// code, and says of any other what could not be run.
func childOf(err error, what string) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit):
		return childError{exit.ExitCode()}
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%s: the go command is needed and is not in PATH", what)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// hostEnv is the environment without what would make go run build for another
// machine: GOOS=windows go generate must still run the generator here; and without
// what a spec program might take for an order.
func hostEnv() []string {
	var env []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if name == "GOOS" || name == "GOARCH" || strings.HasPrefix(name, "TILESMITH_GEN_") {
			continue
		}
		env = append(env, e)
	}
	return env
}
