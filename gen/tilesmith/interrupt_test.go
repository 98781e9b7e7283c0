package main

import (
	"bufio"
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"testing"
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
	cmd := interruptible(ctx, self, "-test.run=^TestInterruptible$")
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
