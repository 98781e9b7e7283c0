package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/clitest"
)

// storing is a kernel that stores a number.
const storing = clitest.PTX

// unread is a pipe whose reader has gone.
type unread struct{}

func (unread) Write([]byte) (int, error) { return 0, cli.ErrUnread }

// TestUnreadTable: files are written though nobody reads what is printed beside.
func TestUnreadTable(t *testing.T) {
	dir := t.TempDir()
	cycle := filepath.Join(dir, "cycle.mtx")
	if err := os.WriteFile(cycle, []byte("%%MatrixMarket matrix coordinate pattern general\n4 4 4\n1 2\n2 3\n3 4\n4 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	owners := filepath.Join(dir, "owners")
	if err := dispatch(strings.Fields("dist plan "+cycle+" --ranks 2 --owners "+owners), unread{}); !errors.Is(err, cli.ErrUnread) {
		t.Errorf("dist plan: %v", err)
	}
	if text, err := os.ReadFile(owners); strings.Count(string(text), "\n") != 4 || err != nil {
		t.Errorf("dist plan --owners wrote %q, %v", text, err)
	}
}

// TestOutputFound: a place that cannot be written is found before anything is computed or measured.
func TestOutputFound(t *testing.T) {
	t.Chdir(clitest.Folder(t, map[string]string{"k.ptx": storing}))
	none := filepath.Join("none", "f")
	for _, line := range []string{
		"emu run k.ptx --grid 1 --block 1 out:f32:1=" + none + " f32:1 i32:1 i8:1",
		"dist plan missing.mtx --owners " + none,
		"dist plan missing.mtx --svg " + none,
		"sweep --html " + none,
		"machine --out " + none,
	} {
		if out, code := emulate(line); code == 0 || !strings.Contains(out, "there is no folder none") {
			t.Errorf("%s: exit code %d, %s", line, code, out)
		}
	}
}
