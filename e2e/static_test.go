package e2e

import (
	"debug/elf"
	"path/filepath"
	"testing"

	"github.com/tilesmith/tilesmith/e2e/internal/tool"
	"github.com/tilesmith/tilesmith/internal/level"
)

// TestStatic builds what has to run where no dynamic linker is: the command
// without loaders of libraries, and a program with our kernels in it.
func TestStatic(t *testing.T) {
	if !level.Long() {
		t.Skip("TILESMITH_LONG=1 builds three programs without cgo, and the libraries too")
	}
	root, err := tool.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what   string
		static bool
		args   []string
	}{
		{"the command with -tags nodl", true, []string{"build", "-tags", "nodl", "./gen/tilesmith"}},
		{"cpu's tests", true, []string{"test", "-c", "./cpu"}},
		// This one shows that the test can tell.
		{"verify/peer's tests, which load libraries", false, []string{"test", "-c", "./verify/peer"}},
	} {
		file := filepath.Join(t.TempDir(), "program")
		args := append([]string{c.args[0], "-o", file}, c.args[1:]...)
		if _, err := tool.Go(root, []string{"GOOS=linux", "GOARCH=amd64"}, args...); err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		static, err := isStatic(file)
		if err != nil || static != c.static {
			t.Errorf("%s: statically linked: %v, want %v (%v)", c.what, static, c.static, err)
		}
	}
}

// isStatic reports whether an ELF program asks for no interpreter and no libraries.
func isStatic(file string) (bool, error) {
	f, err := elf.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			return false, nil
		}
	}
	return true, nil
}
