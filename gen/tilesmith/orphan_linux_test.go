package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// TestOrphan interrupts the command alone, as kill does and a terminal does not: its spec
// must not go on without it.
func TestOrphan(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	for name, text := range map[string]string{
		"a.go":   "package a\n",
		"go.mod": "module a\n\ngo 1.26\n",
		"spec.go": "//go:build ignore\n\npackage main\n\nimport (\n\t\"os\"\n\t\"strconv\"\n\t\"time\"\n)\n\nfunc main() {\n" +
			"\tos.WriteFile(" + strconv.Quote(pid+"~") + ", []byte(strconv.Itoa(os.Getpid())), 0o600)\n" +
			"\tos.Rename(" + strconv.Quote(pid+"~") + ", " + strconv.Quote(pid) + ")\n\ttime.Sleep(time.Hour)\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := command(t, "run", filepath.Join(dir, "spec.go"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var spec int
	for spec == 0 {
		if text, err := os.ReadFile(pid); err == nil {
			if spec, err = strconv.Atoi(string(text)); err != nil {
				t.Fatal(err)
			}
		}
		if cmd.Process.Signal(syscall.Signal(0)) != nil {
			t.Fatal("the command has ended")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
	if err := syscall.Kill(spec, 0); !errors.Is(err, syscall.ESRCH) {
		syscall.Kill(spec, syscall.SIGKILL)
		t.Errorf("the spec goes on alone: %v", err)
	}
}
