package main

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"time"
)

// untilInterrupt returns a context that ends with Ctrl-C, so that what runs meanwhile
// returns and temporary files are removed.
func untilInterrupt() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt)
}

// interruptible returns a program that is asked to end when ctx does, and is killed if
// it has not after some seconds: the go command removes what it was building.
func interruptible(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error {
		if err := cmd.Process.Signal(os.Interrupt); err == nil {
			return nil
		}
		return cmd.Process.Kill() // it has ended, or the system has no such signal
	}
	cmd.WaitDelay = 5 * time.Second
	return cmd
}
