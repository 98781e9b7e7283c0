package gen

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLookupPath: a folder in a module has a path before it has Go files, or is there.
func TestLookupPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"mod/go.mod": "module example.com/m\n\ngo 1.26\n", "mod/full/a.go": "package full\n", "mod/empty/README": "", "none/README": ""} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	for at, want := range map[string]string{"mod": "example.com/m", "mod/full": "example.com/m/full", "mod/empty": "example.com/m/empty",
		"mod/not/yet": "example.com/m/not/yet", "none": "none"} {
		if got := lookupPath(filepath.Join(dir, filepath.FromSlash(at))); got != want {
			t.Errorf("%s has the path %q, want %q", at, got, want)
		}
	}
}
