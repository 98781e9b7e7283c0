package fn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module writes files into a new folder.
func module(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestMissing loads a spec whose package waits for the files that are to be
// generated: what does not depend on them is found all the same.
func TestMissing(t *testing.T) {
	dir := module(t, map[string]string{
		"go.mod":   "module example.com/layer\n\ngo 1.26\n",
		"layer.go": "package layer\n\nfunc Run(x float32) float32 { return Dense(x) }\n\nfunc Act(x float32) float32 { return 2 * helper(x) }\n\nfunc helper(x float32) float32 { return x + 1 }\n",
		"spec.go": "//go:build ignore\n\npackage main\n\nimport \"example.com/layer\"\n\nfunc ok(x float32) float32 { return layer.Act(x) }\n\n" +
			"func waits(x float32) float32 { return layer.Run(x) }\n\nfunc main() { layer.Dense(1) }\n",
	})
	p, err := Load(dir, "spec.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, want string }{
		{"ok", ""},
		{"waits", "layer.go:3:38: undefined: Dense"},
		{"example.com/layer.Act", ""},
		{"layer.Act", ""},
	} {
		r, err := Named(c.name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Lookup(r)
		if got := errorText(err); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestOverlay reads a file that is not on the disk.
func TestOverlay(t *testing.T) {
	dir := module(t, map[string]string{
		"go.mod": "module example.com/o\n\ngo 1.26\n",
		"o.go":   "package o\n\nfunc F(x float32) float32 { return missing(x) }\n",
	})
	p, err := Config{Dir: dir, Overlay: map[string][]byte{
		filepath.Join(dir, "more.go"): []byte("package o\n\nfunc missing(x float32) float32 { return x * x }\n"),
	}}.Load(".")
	if err != nil {
		t.Fatal(err)
	}
	r, _ := Named("F")
	if _, err := p.Lookup(r); err != nil {
		t.Error(err)
	}
}

func TestLoadRefuses(t *testing.T) {
	dir := module(t, map[string]string{"go.mod": "module example.com/e\n\ngo 1.26\n", "bad/bad.go": "package bad\n\nfunc f( {\n"})
	for _, c := range []struct{ pattern, want string }{
		{".", "no Go files in"},
		{"./nowhere", "directory not found"},
		{"nowhere.go", "nowhere.go"},
	} {
		if _, err := Load(dir, c.pattern); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.pattern, err, c.want)
		}
	}
	p, err := Load(dir, "./bad")
	if err != nil {
		t.Fatal(err)
	}
	r, _ := Named("f")
	if _, err := p.Lookup(r); err == nil {
		t.Error("a function that does not parse is translated")
	}
	if _, err := Load(filepath.Join(dir, "nofolder"), "."); err == nil {
		t.Error("a folder that is not there is loaded")
	}
}

// BenchmarkLoad is what a spec file pays before its first function.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := Load(".", "./testdata/fntest"); err != nil {
			b.Fatal(err)
		}
	}
}
