package main

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"time"
)

// untilInterrupt returns a context that ends with Ctrl-C, so that what was found until
// then is printed and temporary files are removed. The next Ctrl-C ends the program.
func untilInterrupt() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	told := make(chan os.Signal, 1)
	signal.Notify(told, os.Interrupt)
	go func() {
		select {
		case <-told:
			cancel(errInterrupted)
		case <-ctx.Done():
		}
		signal.Stop(told)
	}()
	return ctx, func() { cancel(nil) }
}

// orCause is why ctx has ended, if it has, else err: what fails after Ctrl-C does because
// of it.
func orCause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// settle returns err, once it is known whether Ctrl-C is behind it: a terminal sends that to a program
// which runs for this one, too, and the program may have ended before this one is told.
func settle(ctx context.Context, err error) error {
	if err != nil {
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	return err
}

// abandon returns when f has, or when ctx ends: what f is doing then, a kernel that has no
// way to stop, ends with the process.
func abandon(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
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
