package specfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/internal/child"
)

// A program is a Go file that is built and run. The go command could do both, but ends
// without the program when it is killed, which would go on alone.
type Program struct {
	Dir, File string
	Overlay   string // for go build -overlay, or ""
	Out, Log  io.Writer
	patience  time.Duration // how long a build says nothing; 0: ten seconds
}

// Run builds the program and runs it, with what env returns added to the environment. The
// Program is given a folder that is removed at the end. ended is asked when the program has
// ended by itself, before its exit code is returned.
func (p *Program) Run(ctx context.Context, env func(tmp string) []string, ended func(code int) error) error {
	tmp, err := os.MkdirTemp(os.Getenv("GOTMPDIR"), "tilesmith-run-") // the go command leaves some of its own when it is interrupted
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	binary := filepath.Join(tmp, "spec")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	args := []string{"build", "-buildvcs=false", "-ldflags=-s -w", "-o", binary}
	if p.Overlay != "" {
		args = append(args, "-overlay="+p.Overlay)
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := child.Command(ctx, name, args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = p.Dir, p.Out, p.Log
		cmd.Env = append(append(HostEnv(), "GOTMPDIR="+tmp), env(tmp)...)
		return cmd
	}
	build := command("go", append(args, p.File)...)
	spoken := p.speak(build)
	err = Child(cli.Settle(ctx, child.Run(build)), "go build "+p.File)
	spoken()
	if err == nil {
		err = p.end(ctx, command(binary), ended)
	}
	if ctx.Err() != nil { // about which the go command says more than anybody wants to know
		return context.Cause(ctx)
	}
	return err
}

// end runs the program itself.
func (p *Program) end(ctx context.Context, cmd *exec.Cmd, ended func(code int) error) error {
	err := cli.Settle(ctx, child.Run(cmd))
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() < 0 {
		return fmt.Errorf("%s: %w", p.File, err) // by a signal
	}
	if cmd.ProcessState != nil {
		if err := ended(cmd.ProcessState.ExitCode()); err != nil {
			return err
		}
	}
	return Child(err, p.File)
}

// speak says what takes so long if a build does: the go command is silent about a generator that
// it compiles for the first time. No word comes after stop has returned.
func (p *Program) speak(build *exec.Cmd) (stop func()) {
	log := &oneByOne{to: p.Log}
	if _, file := p.Log.(*os.File); !file {
		build.Stderr = log
	}
	timer := time.AfterFunc(cmp.Or(p.patience, 10*time.Second), func() {
		fmt.Fprintf(log, "tilesmith: building the generator with %s; the first time this may take minutes, then seconds\n", p.File)
	})
	return func() {
		timer.Stop()
		log.end()
	}
}

// oneByOne is a writer for several goroutines, until its end.
type oneByOne struct {
	mu sync.Mutex
	to io.Writer // nil after the end
}

func (w *oneByOne) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to == nil {
		return len(b), nil
	}
	return w.to.Write(b)
}

func (w *oneByOne) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.to = nil
}
