package mpi

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// TestPower runs the program of docs/howto-mpi.md on goroutine ranks and, the same file,
// under each mpirun.
func TestPower(t *testing.T) {
	level.E2E(t)
	if runtime.GOOS == "js" {
		t.Skip("no programs are started here")
	}
	file := filepath.Join(t.TempDir(), "power.exe")
	if out, err := exec.Command("go", "build", "-o", file, "./power").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const want = "2 ranks, 2500 rows: the largest eigenvalue is at least 7.9863; it is 7.9924\n"
	out, err := exec.Command(file, "-ranks", "2", "-side", "50", "-steps", "60").Output()
	if err != nil || string(out) != want {
		t.Errorf("goroutine ranks printed %q, want %q: %v", out, want, err)
	}
	each(t, func(t *testing.T, i installation) {
		if r := i.start(t, 2, nil, file, "-side", "50", "-steps", "60").ok(t); r.out != want {
			t.Errorf("printed %q, want %q\n%s", r.out, want, r.errs)
		}
		r := i.start(t, 2, nil, file, "-side", "1")
		if want := "a grid of side 1; want 2, the ranks"; !r.failed || !strings.Contains(r.errs, want) {
			t.Errorf("printed, and not %q:\n%s", want, r.errs)
		}
	})
}
