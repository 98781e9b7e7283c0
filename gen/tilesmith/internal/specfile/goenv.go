package specfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/internal/child"
)

// Settings for the go command when it builds a program of ours, in addition to what the user has
// set for it. These of the user's flags are kept: -mod, -modfile and GOWORK say where packages are,
// and -tags and GOEXPERIMENT which files they have. CGO_ENABLED says what a function's package may
// import, and -toolexec how this machine compiles. -ldflags stand on our command line and go before
// the user's.
var (
	// hostFlags undo flags of GOFLAGS. A function becomes a kernel by its source, which is
	// read where it lies: -trimpath hides the place, and with -overlay something else is
	// compiled. -race, -msan, -asan and -cover ask for cgo, or for a folder to write to, for a
	// Program that runs once. -buildmode asks for what cannot be run, -pgo for everything to
	// be compiled again, and -buildvcs for a version control system.
	hostFlags = []string{"-trimpath=false", "-overlay=", "-race=false", "-msan=false", "-asan=false", "-cover=false", "-buildmode=default", "-pgo=off", "-buildvcs=false"}

	// hostSettings undo a choice of machine. GOOS=windows go generate must still run the
	// generator here. A program built for another variant of this architecture may not
	// run, or may round otherwise. go tool builds the command itself likewise.
	hostSettings = []string{"GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH, "GOAMD64=v1", "GO386=sse2", "GOARM64=v8.0"}

	// foreignTools compile C for the machine that was chosen.
	foreignTools = []string{"CC", "CXX", "FC", "AR", "PKG_CONFIG", "CGO_CFLAGS", "CGO_CPPFLAGS", "CGO_CXXFLAGS", "CGO_FFLAGS", "CGO_LDFLAGS"}
)

// HostEnv is the environment for the go command and for programs that it has built. It is
// for this machine, and without anything that a spec program might take for an order.
func HostEnv() []string {
	foreign := func(name, here string) bool { v := os.Getenv(name); return v != "" && v != here }
	cross := foreign("GOOS", runtime.GOOS) || foreign("GOARCH", runtime.GOARCH)
	var env []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, "TILESMITH_GEN_") || cross && slices.Contains(foreignTools, name) {
			continue
		}
		env = append(env, e)
	}
	env = append(env, hostSettings...)
	return append(env, "GOFLAGS="+strings.TrimSpace(goFlags()+" "+strings.Join(hostFlags, " ")))
}

// goFlags are the user's, from the environment or from go env -w.
func goFlags() string {
	if flags := os.Getenv("GOFLAGS"); flags != "" {
		return flags
	}
	out, err := exec.Command("go", "env", "GOFLAGS").Output()
	if err != nil {
		return "" // without a go command nothing will be built, and whoever wants it says so
	}
	return strings.TrimSpace(string(out))
}

// GoList runs go list and returns its lines, none if it fails.
func GoList(dir string, args ...string) []string {
	cmd := child.Command(context.Background(), "go", append([]string{"list"}, args...)...)
	cmd.Dir, cmd.Env = dir, HostEnv()
	out, err := child.Output(cmd)
	if err != nil {
		return nil
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' || r == '\r' })
}

// Child turns the error of a program that has reported it into the program's exit
// code. For any other error it says what could not be run.
func Child(err error, what string) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit):
		return cli.ChildError(exit.ExitCode())
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%s: the go command is needed and is not in PATH", what)
	}
	return fmt.Errorf("%s: %w", what, err)
}
