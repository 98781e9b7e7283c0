package cli

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/internal/child"
)

// TestInterruptible stops a program that has a file to remove: this one, run again.
func TestInterruptible(t *testing.T) {
	const env = "TILESMITH_TEST_INTERRUPT"
	if file := os.Getenv(env); file != "" {
		told := make(chan os.Signal, 1)
		signal.Notify(told, os.Interrupt)
		os.Stdout.WriteString("ready\n")
		<-told
		os.Remove(file)
		return
	}
	if runtime.GOOS == "windows" {
		t.Skip("a program cannot be interrupted there, only killed")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "left")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	cmd := child.Command(ctx, self, "-test.run=^TestInterruptible$")
	cmd.Env = append(os.Environ(), env+"="+file)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	stop()
	cmd.Wait()
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the program had no time to remove its file: %v", err)
	}
}

// TestSettle: a child that ends of Ctrl-C before this process is told of it was interrupted; one that fails by itself was not.
func TestSettle(t *testing.T) {
	failed := errors.New("exit status 1")
	ctx, cancel := context.WithCancelCause(t.Context())
	if err := OrCause(ctx, Settle(ctx, failed)); err != failed {
		t.Errorf("a child that fails by itself: %v, want %v", err, failed)
	}
	if err := Settle(ctx, nil); err != nil {
		t.Errorf("a child that does not fail: %v", err)
	}
	time.AfterFunc(time.Millisecond, func() { cancel(ErrInterrupted) })
	if err := OrCause(ctx, Settle(ctx, failed)); err != ErrInterrupted {
		t.Errorf("a child of which Ctrl-C is heard first: %v, want %v", err, ErrInterrupted)
	}
}
