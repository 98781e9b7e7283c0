package demo

import (
	"context"
	"go/format"
	"os"
	"os/exec"
	"testing"

	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/clitest"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/specfile"
	"github.com/tilesmith/tilesmith/internal/level"
)

// TestDemoSpec holds what demo generates in its own process against what the
// embedded spec, run as a program, does.
func TestDemoSpec(t *testing.T) {
	level.E2E(t)
	files, err := demoFiles()
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	cmd := exec.Command("go", "run", "spec.go")
	cmd.Env = append(specfile.HostEnv(), gen.EnvOut+"="+out, gen.EnvPackage+"=kernels", gen.EnvSource+"=spec.go")
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	if err := gen.Check(out, files); err != nil {
		t.Error(err)
	}
}

// TestDemoBuilds builds and runs the program, in the shortest way.
func TestDemoBuilds(t *testing.T) {
	level.E2E(t)
	files, err := demoFiles()
	if err != nil {
		t.Fatal(err)
	}
	module, err := moduleDir(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	binary, err := buildDemo(clitest.Printing(t, os.Stdout, os.Stderr), module, t.TempDir(), files)
	if err != nil {
		t.Fatal(err)
	}
	// A variant that no machine has: the program gets as far as its command line.
	b, err := exec.Command(binary, "-isa=none").CombinedOutput()
	if cli.ExitCode(specfile.Child(err, "demo")) != 2 {
		t.Errorf("%v\n%s", err, b)
	}
}

func TestDemoMain(t *testing.T) {
	src, err := demoMain()
	if err != nil {
		t.Fatal(err)
	}
	if want, err := format.Source(src); err != nil || string(want) != string(src) {
		t.Errorf("not formatted: %v\n%s", err, src)
	}
}

// TestNoModule wants a sentence where tilesmith's source cannot be found.
func TestNoModule(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := moduleDir(context.Background()); err == nil || cli.ExitCode(err) != 1 {
		t.Errorf("%v, want an error that says what to do", err)
	}
}
