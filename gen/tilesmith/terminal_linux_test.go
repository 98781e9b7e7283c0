package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/clitest"
	"github.com/tilesmith/tilesmith/internal/level"
)

// A terminal is one with the command at work in it.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	keys *os.File

	mu   sync.Mutex
	seen bytes.Buffer
	end  chan struct{}
}

// command is this program as the command.
func command(t *testing.T, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), clitest.EnvCommand+"=1", "TERM=xterm", "NO_COLOR=", "TMPDIR="+t.TempDir())
	return cmd
}

// onTerminal starts the command in a terminal of 160 columns.
func onTerminal(t *testing.T, dir string, env []string, args ...string) *terminal {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("there are no pseudo-terminals: ", err)
	}
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err = errors.Join(err, unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0),
		unix.IoctlSetWinsize(int(keys.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 160})); err != nil {
		t.Fatal(err)
	}
	screen, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	x := &terminal{t: t, cmd: command(t, args...), keys: keys, end: make(chan struct{})}
	x.cmd.Dir, x.cmd.Stdin, x.cmd.Stdout, x.cmd.Stderr = dir, screen, screen, screen
	x.cmd.Env = append(x.cmd.Env, env...)
	x.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := x.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(x.end)
		part := make([]byte, 4096)
		for {
			n, err := keys.Read(part) // an error once nobody has the other side
			x.mu.Lock()
			x.seen.Write(part[:n])
			x.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { keys.Close() })
	return x
}

func (x *terminal) text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.seen.String()
}

// until waits for a text on the screen.
func (x *terminal) until(text string) {
	x.t.Helper()
	for range 18000 { // a build may be in the way
		if strings.Contains(x.text(), text) {
			return
		}
		select {
		case <-x.end:
			x.t.Fatalf("the command has ended without %q:\n%s", text, x.text())
		case <-time.After(10 * time.Millisecond):
		}
	}
	x.t.Fatalf("after three minutes there is no %q:\n%s", text, x.text())
}

// wait waits for the end, and returns what was on the screen and the exit code.
func (x *terminal) wait() (string, int) {
	x.cmd.Wait()
	<-x.end
	return x.text(), x.cmd.ProcessState.ExitCode()
}

// colour matches a change of colour, and no movement of the cursor.
var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

const someSweep = "sweep --kernels MatMul --types f32 --isa go --shapes 16,17,18 --time 1ms"

// TestTerminal: on a terminal there is a table, in colours, with progress below it; a user
// who wants no colours gets none; in a pipe there are benchmark lines and nothing else.
func TestTerminal(t *testing.T) {
	level.E2E(t)
	text, code := onTerminal(t, "", nil, strings.Fields(someSweep)...).wait()
	if code != 0 || !strings.Contains(text, "time, us") || strings.Contains(text, "Benchmark") || !colour.MatchString(text) {
		t.Errorf("exit %d, and on the terminal there is\n%s", code, text)
	}
	progress, row := strings.Index(text, "measuring "), strings.Index(text, "MatMul      f32")
	if progress < 0 || progress > row {
		t.Errorf("nothing says what goes on before there are results:\n%q", text)
	}
	if !regexp.MustCompile(`[12] of 3, \d+s left`).MatchString(text) {
		t.Errorf("nothing says how long it may take:\n%q", text)
	}
	text, code = onTerminal(t, "", []string{"TERM=dumb"}, strings.Fields(someSweep)...).wait()
	if code != 0 || !strings.Contains(text, "time, us") || strings.Contains(text, "\x1b") {
		t.Errorf("on a dumb terminal: exit %d, and there is\n%q", code, text)
	}
	some := strings.Fields("verify --kernels SpMV --types f32 --isa go")
	text, code = onTerminal(t, "", []string{"NO_COLOR=1"}, some...).wait()
	if code != 0 || !strings.Contains(text, "ok     SpMV") || colour.MatchString(text) {
		t.Errorf("without colours: exit %d, and on the terminal there is\n%q", code, text)
	}
	text, code = onTerminal(t, "", nil, some...).wait()
	if code != 0 || !strings.Contains(text, "\x1b[32mok\x1b[0m     SpMV") {
		t.Errorf("exit %d:\n%q", code, text)
	}
	text, code = onTerminal(t, "", nil, "sweep", "--kernels", "none").wait()
	if code != 2 || !strings.Contains(text, "\x1b[1;31mtilesmith:\x1b[0m --kernels none: no kernel") || strings.Count(text, "\n") != 1 {
		t.Errorf("exit %d:\n%q", code, text)
	}

	cmd := command(t, strings.Fields(someSweep)...)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil || log.Len() > 0 || !strings.HasPrefix(out.String(), "goos: ") || strings.Contains(out.String(), "\x1b") {
		t.Errorf("in a pipe: %v\n%s\n%s", err, &out, &log)
	}
}

// TestInterrupted ends each command with Ctrl-C: it says what was done until then, and the
// exit code is 130.
func TestInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	fused, err := filepath.Abs("../examples/fused")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	html, results := filepath.Join(out, "page.html"), filepath.Join(out, "results")
	for _, c := range []struct {
		args, after string
		want        []string
		builds      bool
	}{
		{"sweep --kernels MatMul --types f32 --isa go --shapes 16,17,18,1000 --time 1ms --html " + html, "3 of 4",
			[]string{"MatMul      f32", "of ceiling: of products from registers", "wrote " + html, "tilesmith:\x1b[0m interrupted: the output has the 3 of 4 points that were measured"}, false},
		{"verify --types f32", "ok\x1b[0m     MatMul", []string{"interrupted: ", " variants are verified"}, false},
		{"formats --runs 1000 " + clitest.Sampled(t), "timing ", []string{"choice: ", "interrupted while formats were timed"}, false},
		{"machine", "measuring L2", []string{"l1.read", "interrupted: numbers that were not measured yet"}, false},
		{"gpu --emu --out " + results, "checking gpu.", []string{"interrupted: ", " checks are made, 0 of them failed", "--resume goes on"}, false},
		{"run --check " + fused + "/...", "building and running", []string{"interrupted: the files of 0 of 1 specs are compared"}, true},
		{"run " + fused, "building and running", []string{"interrupted: 0 of 1 specs have written their files"}, true},
		{"explain " + fused, "building and running", []string{"interrupted: 0 of 1 specs are explained"}, true},
		{"demo", "building", []string{"generated\r\n", "interrupted while it was built; nothing is left behind"}, true},
		{"verify " + fused, "building the kernels of", []string{"interrupted: 0 of 0 variants"}, true},
	} {
		if c.builds != level.RunsGo() { // module e2e runs those that build
			continue
		}
		name, _, _ := strings.Cut(c.args, " ")
		t.Run(name, func(t *testing.T) {
			x := onTerminal(t, "", nil, strings.Fields(c.args)...)
			x.until(c.after)
			if _, err := io.WriteString(x.keys, "\x03"); err != nil {
				t.Fatal(err)
			}
			text, code := x.wait()
			if code != 130 {
				t.Errorf("exit %d, want 130", code)
			}
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("there is no %q in\n%q", want, text)
				}
			}
			for _, e := range x.cmd.Env {
				if dir, ok := strings.CutPrefix(e, "TMPDIR="); ok {
					if left, err := os.ReadDir(dir); len(left) > 0 || err != nil && !os.IsNotExist(err) {
						t.Errorf("left behind: %v, %v", left, err)
					}
				}
			}
		})
	}
	if level.RunsGo() {
		return
	}
	if page, err := os.ReadFile(html); err != nil || !strings.Contains(string(page), `role="note">interrupted: 3 of 4 points are measured</p>`) {
		t.Errorf("the page does not say that it is not all: %v", err)
	}
}

// TestUnread closes the pipe that the command writes to, as head does: it ends, and says
// nothing.
func TestUnread(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	args := [][]string{strings.Fields(someSweep), {"help"}}
	if level.RunsGo() {
		args = append(args, []string{"explain", "../examples/fused/spec.go"})
	}
	for _, args := range args {
		cmd := command(t, args...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		cmd.Stderr = &log
		if err := errors.Join(cmd.Start(), out.Close()); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 141 || log.Len() > 0 {
			t.Errorf("%q: exit %d, want 141; and it says %q", args, code, &log)
		}
	}
}
