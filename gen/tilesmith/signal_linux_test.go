package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/clitest"
	"github.com/tilesmith/tilesmith/internal/level"
)

// building starts the command on a spec that is never built, as the compiler is a script: it says who it is and sleeps, by short sleeps,
// as a shell that is about to run a program takes a signal only after it. Temporary files go to tmp. What stands before the command runs it.
func building(t *testing.T, script, tmp string, before ...string) (cmd *exec.Cmd, compiler int, log *bytes.Buffer) {
	t.Helper()
	dir := clitest.Folder(t, map[string]string{"a.go": "package a\n", "go.mod": "module a\n\ngo 1.26\n", "spec.go": clitest.Spec})
	pid := filepath.Join(dir, "pid")
	tool := filepath.Join(dir, "tool")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\ncase \"$*\" in *-V=full*) exec \"$@\";; esac\n"+script+"\necho $$ > "+pid+"~\nmv "+pid+"~ "+pid+"\nfor i in $(seq 600); do sleep 0.1; done\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd, log = command(t, "run", filepath.Join(dir, "spec.go")), new(bytes.Buffer)
	if before != nil {
		cmd.Path, cmd.Args = before[0], append(before, cmd.Args...)
	}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(cmd.Env, "TMPDIR="+tmp, "GOTMPDIR=", "GOFLAGS=-toolexec="+tool)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 3000 {
		if text, err := os.ReadFile(pid); err == nil {
			if compiler, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
				t.Fatal(err)
			}
			return cmd, compiler, log
		}
		time.Sleep(10 * time.Millisecond)
	}
	cmd.Process.Kill()
	t.Fatal("the compiler is not called")
	return
}

// TestSignals ends the command while it builds, by every signal that asks for it: no temporary file is left, no compiler goes on alone,
// and the exit code is what shells make of the signal.
func TestSignals(t *testing.T) {
	level.E2E(t)
	for _, c := range []struct {
		name, script string
		by           syscall.Signal
		code         int
		says         string
	}{
		{"Ctrl-C", "", syscall.SIGINT, 130, "interrupted"},
		{"SIGTERM", "", syscall.SIGTERM, 143, "terminated"},
		{"SIGHUP", "", syscall.SIGHUP, 129, "hung up"},
		{"SIGQUIT", "", syscall.SIGQUIT, 2, "goroutine"},
		{"a compiler that does not listen", "trap '' INT", syscall.SIGTERM, 143, "terminated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tmp := t.TempDir()
			cmd, compiler, log := building(t, c.script, tmp)
			cmd.Process.Signal(c.by)
			began := time.Now()
			cmd.Wait()
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %v", took)
			}
			if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(log.String(), c.says) {
				t.Errorf("exit code %d, want %d, and %q in %s", code, c.code, c.says, log)
			}
			only(t, tmp)
			gone(t, "compiler", compiler)
		})
	}
}

// gone checks that a process has ended, whether or not anybody was told.
func gone(t *testing.T, what string, pid int) {
	t.Helper()
	state := ""
	for range 1000 {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if state = string(text); err != nil || strings.Contains(state, ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	syscall.Kill(pid, syscall.SIGKILL)
	t.Errorf("the %s goes on alone: %s", what, state)
}

// only checks that a folder is empty.
func only(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
		t.Errorf("left in %s: %v, %v", dir, left, err)
	}
}

// TestNoHangup: a command that was started by nohup goes on after SIGHUP, and one in the background of a script after SIGINT.
func TestNoHangup(t *testing.T) {
	level.E2E(t)
	tmp := t.TempDir()
	cmd, _, log := building(t, "", tmp, "/bin/sh", "-c", `trap "" HUP INT; exec "$0" "$@"`)
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT} {
		cmd.Process.Signal(s)
	}
	time.Sleep(300 * time.Millisecond)
	if err := cmd.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("it has ended: %v", err)
	}
	cmd.Process.Signal(syscall.SIGTERM) // which the compiler is told by another signal than Ctrl-C
	began := time.Now()
	cmd.Wait()
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
	if code := cmd.ProcessState.ExitCode(); code != 143 {
		t.Errorf("exit code %d, %s", code, log)
	}
	only(t, tmp)
}
