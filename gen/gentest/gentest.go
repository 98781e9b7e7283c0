// Package gentest has tests for packages with generated kernels. With one in your package,
// its tests fail if you change a spec without running go generate:
//
//	func TestUpToDate(t *testing.T) { gentest.UpToDate(t, "spec.go") }
//
// Start with [UpToDate].
package gentest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// command is what is run. It needs only the tool line in go.mod that `go get -tool`
// writes, and does not need the tool to be called tilesmith there.
const command = "github.com/tilesmith/tilesmith/gen/tilesmith"

// UpToDate generates again, in memory, what the spec file describes, and fails with
// the difference if the package holds anything else. spec is relative to the
// package under test. The go command must be in PATH; where it is not, as on a
// machine that only runs a test binary, the test is skipped. It takes a second or
// two.
func UpToDate(t testing.TB, spec string) {
	t.Helper()
	if err := touch(spec); err != nil {
		t.Fatalf("%v; name the spec file as it is called from the package's folder", err)
	}
	out, err := runTool(filepath.Dir(spec), "run", "--check", filepath.Base(spec))
	var exit *exec.ExitError
	switch {
	case err == nil:
	case errors.Is(err, exec.ErrNotFound):
		t.Skip("the go command is needed to generate again, and is not in PATH")
	case errors.As(err, &exit):
		t.Errorf("%s: %s", spec, strings.TrimSuffix(strings.TrimSpace(out), "\nexit status 1"))
	default:
		t.Fatal(err)
	}
}

// runTool runs the command in a folder.
func runTool(dir string, args ...string) (out string, err error) {
	cmd := exec.Command("go", append([]string{"run", command}, args...)...)
	cmd.Dir, cmd.Env = dir, hostEnv()
	b, err := cmd.CombinedOutput()
	return string(b), err
}

// touch reads the spec and the files next to it. The go command does not run a test
// that passed again while the files that it read are the same. It does not see what the
// programs read that a test runs.
func touch(spec string) error {
	if _, err := os.ReadFile(spec); err != nil {
		return err
	}
	dir := filepath.Dir(spec)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); e.Type().IsRegular() && (ext == ".go" || ext == ".s") {
			if _, err := os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// hostEnv is the environment without a foreign system: go test of a cross-compiled
// package may run under an emulator, the generator runs here.
func hostEnv() []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "GOOS=") && !strings.HasPrefix(e, "GOARCH=") {
			env = append(env, e)
		}
	}
	return env
}
