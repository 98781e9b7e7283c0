package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tilesmith/tilesmith/gen"
)

// runSpec builds and runs a spec file for the package that it lies in.
func runSpec(args []string) error {
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	check := flags.Bool("check", false, "compare with the files that are there; exit 1 with a diff if they differ")
	if err := flags.Parse(args); err != nil {
		return usageError{err}
	}
	if flags.NArg() != 1 {
		return usageError{fmt.Errorf("run takes one spec file, as in: tilesmith run spec.go")}
	}
	spec := flags.Arg(0)
	dir := filepath.Dir(spec)
	pkg, err := packageName(dir)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "run", filepath.Base(spec))
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stdout, os.Stderr
	cmd.Env = append(hostEnv(), gen.EnvOut+"=.", gen.EnvPackage+"="+pkg, gen.EnvSource+"="+filepath.Base(spec))
	if *check {
		cmd.Env = append(cmd.Env, gen.EnvCheck+"=1")
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", spec, err)
	}
	return nil
}

// hostEnv is the environment without what would make go run build for another
// machine: GOOS=windows go generate must still run the generator here.
func hostEnv() []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "GOOS=") && !strings.HasPrefix(e, "GOARCH=") {
			env = append(env, e)
		}
	}
	return env
}

// packageName reads the name of the package in dir from its files, leaving out
// those that a build ignores: the spec is one. A package that uses cgo is
// refused, since it cannot hold Go assembly.
func packageName(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if e.Type()&fs.ModeType != 0 || !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		src, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return "", err
		}
		if ignored(string(src)) {
			continue
		}
		for _, imp := range f.Imports {
			if imp.Path.Value == `"C"` {
				return "", fmt.Errorf("%s uses cgo, and a package with cgo cannot hold Go assembly; put the spec into a sub-package", path)
			}
		}
		return f.Name.Name, nil
	}
	return "", fmt.Errorf("%s has no Go package to generate into; add a file with a package clause and the go:generate line", dir)
}

func ignored(src string) bool {
	for line := range strings.Lines(src) {
		if strings.HasPrefix(line, "package ") {
			return false
		}
		if strings.TrimSpace(line) == "//go:build ignore" {
			return true
		}
	}
	return false
}
