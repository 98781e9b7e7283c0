package ptx_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// golden compares text with a file in testdata. Long ones are cut to 160 lines of 120
// characters: nobody reads more.
func golden(t testing.TB, name, text string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	if len(lines) > 160 {
		lines = append(lines[:160], "...", "")
	}
	for i, l := range lines {
		if len(l) > 120 {
			lines[i] = l[:120] + "..."
		}
	}
	text = strings.Join(lines, "\n")
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), text); d != "" {
		t.Errorf("%s (-want +have; -update writes it):\n%s", file, d)
	}
}
