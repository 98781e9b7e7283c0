package emit

import (
	"strings"
	"testing"
)

// How a function is launched is part of its text.
func TestLaunch(t *testing.T) {
	for _, head := range []string{"func @f() {", "func @f() threads 128 {", "func @f() shared 49152 {", "func @f(n: i64 @0) threads 1024 shared 16 {"} {
		f, err := Parse(head + "\n}\n")
		if err != nil {
			t.Errorf("%s: %v", head, err)
			continue
		}
		if got := f.String(); got != head+"\n}\n" {
			t.Errorf("printed again: %s, want %s", got, head)
		}
		if c := f.Clone(); c.Threads != f.Threads || c.Shared != f.Shared {
			t.Errorf("%s: a clone has %d threads and %d bytes", head, c.Threads, c.Shared)
		}
	}
	for text, want := range map[string]string{
		"func @f() threads {":             "1:19: found '{'; want an integer",
		"func @f() threads 0 {":           "1:19: found 0; want a number from 1",
		"func @f() shared -4 {":           "1:18: found -4; want a number from 1",
		"func @f() threads 99999999999 {": "found 99999999999; want a number from 1 to 2^31-1",
		"func @f() shared 4 threads 32 {": "want {",
		"func @f() threads 1025 {":        "1025 threads and 0 bytes of shared memory: want 0 to 1024",
	} {
		if _, err := Parse(text + "\n}\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want one with %q", text, err, want)
		}
	}
}
