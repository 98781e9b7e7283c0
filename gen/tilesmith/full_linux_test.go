package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestFull prints on a disk that is full: what was not written is a failure.
func TestFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no device that is full: ", err)
	}
	defer full.Close()
	for _, args := range []string{"help", "version", "help gen", "completion bash"} {
		cmd := command(t, strings.Fields(args)...)
		var log bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &log
		if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(log.String(), "no space left") {
			t.Errorf("%s: %v, %s", args, err, &log)
		}
	}
}
