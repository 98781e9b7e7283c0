package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/internal/level"
)

// TestOrphan sends signals to the command alone, as kill does and a terminal does not: its spec
// must not go on without it, no temporary file may be left, and it says what has ended it. Of a spec that does not listen
// a second signal is the end, and so are some seconds if nobody asks again.
func TestOrphan(t *testing.T) {
	level.E2E(t)
	for _, c := range []struct {
		name    string
		deaf    bool
		signals []syscall.Signal
		apart   time.Duration
		code    int
		says    string
		long    bool
	}{
		{"Ctrl-C", false, []syscall.Signal{syscall.SIGINT}, 0, 130, "interrupted: 0 of 1 specs have written", false},
		{"SIGTERM", false, []syscall.Signal{syscall.SIGTERM}, 0, 143, "terminated: 0 of 1 specs have written", false},
		{"Ctrl-C by terminal and go tool", false, []syscall.Signal{syscall.SIGINT, syscall.SIGINT}, cli.Twice / 50, 130, "interrupted: 0 of 1 specs have written", false},
		{"SIGTERM by timeout", false, []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}, cli.Twice / 50, 143, "terminated: 0 of 1 specs have written", false},
		{"SIGTERM twice", true, []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}, 3 * cli.Twice, 143, "tilesmith: terminated\n", false},
		{"Ctrl-C, then SIGHUP", true, []syscall.Signal{syscall.SIGINT, syscall.SIGHUP}, 100 * time.Millisecond, 129, "tilesmith: hung up\n", false},
		{"SIGTERM once", true, []syscall.Signal{syscall.SIGTERM}, 0, 143, "terminated", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.long && !level.Long() {
				t.Skip("waits some seconds: TILESMITH_LONG=1")
			}
			orphan(t, c.deaf, c.signals, c.apart, c.code, c.says)
		})
	}
}

func orphan(t *testing.T, deaf bool, signals []syscall.Signal, apart time.Duration, want int, says string) {
	dir, tmp := t.TempDir(), t.TempDir()
	listen := "Reset"
	if deaf {
		listen = "Ignore"
	}
	pid := filepath.Join(dir, "pid")
	for name, text := range map[string]string{
		"a.go":   "package a\n",
		"go.mod": "module a\n\ngo 1.26\n",
		"spec.go": "//go:build ignore\n\npackage main\n\nimport (\n\t\"os\"\n\t\"os/signal\"\n\t\"strconv\"\n\t\"time\"\n)\n\nfunc main() {\n\tsignal." + listen + "(os.Interrupt)\n" +
			"\tos.WriteFile(" + strconv.Quote(pid+"~") + ", []byte(strconv.Itoa(os.Getpid())), 0o600)\n" +
			"\tos.Rename(" + strconv.Quote(pid+"~") + ", " + strconv.Quote(pid) + ")\n\ttime.Sleep(time.Hour)\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := command(t, "run", filepath.Join(dir, "spec.go"))
	cmd.Env = append(cmd.Env, "TMPDIR="+tmp, "GOTMPDIR=")
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var spec int
	for limit := time.Now().Add(5 * time.Minute); spec == 0; {
		if time.Now().After(limit) { // a command that has ended takes signals until somebody waits for it
			t.Fatal("the spec has not begun")
		}
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
	began := time.Now()
	for i, s := range signals {
		if i > 0 {
			time.Sleep(apart)
		}
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != want {
		t.Errorf("exit code %d, want %d", code, want)
	}
	if !strings.Contains(log.String(), says) {
		t.Errorf("it says %q, want %q", &log, says)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
	only(t, tmp)
	gone(t, "spec", spec)
}
