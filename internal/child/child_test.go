//go:build unix

package child

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestChild: programs end when their context does, when all are asked to, and when all are killed.
func TestChild(t *testing.T) {
	defer func() { running.killed = false }()
	if out, err := Output(Command(t.Context(), "sh", "-c", "echo said")); string(out) != "said\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	if err := Run(Command(t.Context(), "tilesmith-none")); err == nil || !strings.Contains(err.Error(), exec.ErrNotFound.Error()) {
		t.Errorf("a program that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	for _, c := range []struct {
		name    string
		program []string // no shell for those that are asked: between its start and its first program it takes no signal
		end     func()
	}{
		{"the context", []string{"sleep", "60"}, cancel},
		{"Interrupt", []string{"sleep", "60"}, Interrupt},
		{"Kill", []string{"sh", "-c", "trap '' INT TERM HUP; sleep 60"}, Kill},
	} {
		of := t.Context()
		if c.name == "the context" {
			of = ctx
		}
		cmd := Command(of, c.program[0], c.program[1:]...)
		ownGroup(cmd) // as the go command has
		wait, err := Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		c.end()
		if err := wait(); err == nil || time.Since(began) > patience {
			t.Errorf("%s: %v after %v", c.name, err, time.Since(began))
		}
		if len(running.commands) > 0 {
			t.Errorf("%s: %d programs are still known", c.name, len(running.commands))
		}
	}
	if err := Run(Command(t.Context(), "true")); err == nil {
		t.Error("a program was started after Kill")
	}
}
