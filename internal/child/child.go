// Package child runs programs that do not outlive this one.
package child

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"sync"
	"time"
)

// patience is how long a program may take to end once it is asked to.
const patience = 5 * time.Second

// running are the programs that have not ended yet.
var running = struct {
	sync.Mutex
	commands map[*exec.Cmd]bool
	killed   bool // and none are started any more
}{commands: map[*exec.Cmd]bool{}}

// Command returns a program that is asked to end, as by Ctrl-C, when ctx ends, and is killed if it has not after some seconds: the go
// command removes what it was building. Run it by [Run], [Output] or [Start], of which [Interrupt] and [Kill] know.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	if name == "go" {
		ownGroup(cmd) // with compilers and linkers that it runs. It needs no terminal, and ends by itself if we are killed
	}
	asked := sync.OnceValue(func() error { return interrupt(cmd) })
	cmd.Cancel = func() error { return asked() }
	cmd.WaitDelay = patience
	return cmd
}

// Start starts a program and returns what waits for its end.
func Start(cmd *exec.Cmd) (wait func() error, err error) {
	running.Lock()
	defer running.Unlock()
	if running.killed {
		return nil, errors.New("the program is about to end")
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	running.commands[cmd] = true
	return func() error {
		err := cmd.Wait()
		running.Lock()
		defer running.Unlock()
		if err != nil {
			killGroup(cmd)
		}
		delete(running.commands, cmd)
		return err
	}, nil
}

// Run runs a program to its end.
func Run(cmd *exec.Cmd) error {
	wait, err := Start(cmd)
	if err != nil {
		return err
	}
	return wait()
}

// Output runs a program to its end and returns what it prints.
func Output(cmd *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	cmd.Stdout = &out
	err := Run(cmd)
	return out.Bytes(), err
}

// Interrupt asks all programs to end.
func Interrupt() {
	running.Lock()
	defer running.Unlock()
	for cmd := range running.commands {
		cmd.Cancel() // those that have ended say so
	}
}

// Kill ends all programs, and lets no more be started.
func Kill() {
	running.Lock()
	defer running.Unlock()
	running.killed = true
	for cmd := range running.commands {
		cmd.Process.Kill()
		killGroup(cmd)
	}
}
