package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/tilesmith/tilesmith/internal/child"
	"github.com/tilesmith/tilesmith/internal/outfile"
)

// hangup is SIGHUP, which js/wasm has no name for.
const hangup = syscall.Signal(1)

// A signalled error is the cause of a context that a signal has ended. It is errInterrupted, whichever that was.
type signalled struct{ by syscall.Signal }

func (e signalled) Error() string {
	switch e.by {
	case syscall.SIGTERM:
		return "terminated"
	case hangup:
		return "hung up"
	}
	return ErrInterrupted.Error()
}

func (e signalled) Is(err error) bool { return err == ErrInterrupted }

// grace is how long the command may take to end once someone who does not ask twice tells it to. It is more
// than the programs that it runs may take.
const grace = 8 * time.Second

// Twice is within what time a signal comes twice that was sent once: timeout sends it to a program and to its group, and go tool passes
// on to its tool what a terminal sends both.
const Twice = 250 * time.Millisecond

// untilInterrupt returns a context that ends with Ctrl-C, SIGTERM or SIGHUP, so that what was found until then is printed. The next
// signal, or grace after one that is no Ctrl-C, ends the program at once. SIGQUIT does so first, and prints what goroutines do. leave
// removes what the program would leave behind.
func untilInterrupt(leave func()) context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	told := make(chan os.Signal, 1)
	signal.Notify(told, child.Signals()...)
	go func() {
		var late <-chan time.Time
		var first syscall.Signal
		var when time.Time
		atOnce := func(why signalled) {
			leave()
			fmt.Fprintln(os.Stderr, Colours(os.Stderr).Bad("tilesmith:"), why)
			os.Exit(ExitCode(why))
		}
		for {
			select {
			case s := <-told:
				by, _ := s.(syscall.Signal)
				if by == syscall.SIGQUIT {
					leave()
					signal.Reset(by)
					if self, err := os.FindProcess(os.Getpid()); err == nil {
						self.Signal(by)
					}
					return
				}
				switch {
				case ctx.Err() == nil:
					first, when = by, time.Now()
				case by == first && time.Since(when) < Twice:
					continue
				default:
					atOnce(signalled{by})
				}
				cancel(signalled{by})
				child.Interrupt()
				if by != syscall.SIGINT {
					late = time.After(grace)
				}
			case <-late:
				atOnce(signalled{first})
			}
		}
	}()
	return ctx
}

// ownTemp makes a folder for the temporary files of this program, its libraries and the programs that it
// runs. It returns what ends those programs and removes the folder. dist has none: MPI keeps there what ranks
// share.
func ownTemp(args []string) (leave func()) {
	var made []string
	for _, name := range []string{"GOTMPDIR", "TMPDIR"} {
		if name == "GOTMPDIR" && os.Getenv(name) == "" || len(args) > 0 && args[0] == "dist" {
			continue
		}
		dir, err := os.MkdirTemp(os.Getenv(name), "tilesmith-")
		if err != nil {
			continue // what needs it says so
		}
		made = append(made, dir)
		os.Setenv(name, dir)
		if name == "TMPDIR" {
			os.Setenv("TMP", dir)
			os.Setenv("TEMP", dir)
		}
	}
	return sync.OnceFunc(func() {
		child.Kill()
		outfile.Clear()
		for _, dir := range made {
			for range 10 { // what was killed may write until it is gone
				if os.RemoveAll(dir) == nil {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
		}
	})
}

// OrCause is why ctx has ended, if it has, else err: what fails after Ctrl-C does because
// of it.
func OrCause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Settle returns err, once it is known whether Ctrl-C is behind it. A terminal sends that also to a
// program which runs for this one, and that program may have ended before this one is told.
func Settle(ctx context.Context, err error) error {
	if err != nil {
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	return err
}

// Abandon returns when f has, or when ctx ends. f may then be in a kernel that has no way
// to stop, and ends with the process.
func Abandon(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
