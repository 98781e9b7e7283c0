package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// specTree makes a module with specs in some folders, and beside them what no pattern
// takes.
func specTree(t *testing.T) string {
	t.Helper()
	root := userModule(t, nil)
	one := strings.ReplaceAll(spec, "func main() {}", "import (\n\t\""+modulePath+"/gemm\"\n\t\""+modulePath+"/gen\"\n)\n\nfunc main() { gen.Main(gemm.Spec[float32, float32, float32, float32]{Name: \"One\"}) }")
	for dir, files := range map[string]map[string]string{
		"a": {"spec.go": one, "a.go": "package a\n\n" + "//go" + ":generate go tool tilesmith run spec.go\n"}, "a/b": {"kernels.go": one, "b.go": "package b\n"}, "plain": {"p.go": "package p\n"},
		"testdata/x": {"spec.go": one}, ".hidden": {"spec.go": one}, "_old": {"spec.go": one}, "vendor/v": {"spec.go": one}, "other": {"spec.go": one, "go.mod": "module other\n"},
	} {
		dir = filepath.Join(root, dir)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

// TestSpecFiles finds the specs of files, folders and patterns.
func TestSpecFiles(t *testing.T) {
	t.Chdir(specTree(t))
	at := func(names ...string) (all []string) {
		for _, n := range names {
			all = append(all, filepath.FromSlash(n))
		}
		return all
	}
	for _, c := range []struct {
		args []string
		want []string
		why  string
	}{
		{at("a/spec.go"), at("a/spec.go"), ""},
		{at("a", "a/b"), at("a/spec.go", "a/b/kernels.go"), ""},
		{at("a/..."), at("a/spec.go", "a/b/kernels.go"), ""},
		{at("./..."), at("a/spec.go", "a/b/kernels.go"), ""},
		{at("..."), at("a/spec.go", "a/b/kernels.go"), ""},
		{at("testdata/..."), at("testdata/x/spec.go"), ""}, // as it is asked for
		{at("plain"), nil, "plain has no spec"},
		{at("plain/..."), nil, "plain/... matches no folder with a spec"},
		{at("none/..."), nil, "no spec file or folder"},
		{at("none"), nil, "no spec file or folder"},
	} {
		have, err := specFiles(c.args)
		if strings.Join(have, " ") != strings.Join(c.want, " ") || (err == nil) != (c.why == "") || err != nil && !strings.Contains(filepath.ToSlash(err.Error()), c.why) {
			t.Errorf("%q: %q, %v; want %q, %q", c.args, have, err, c.want, c.why)
		}
	}
}

// TestRunFolders runs, checks and explains the specs below a folder, and says what it wrote.
func TestRunFolders(t *testing.T) {
	level.E2E(t)
	t.Chdir(specTree(t))
	var out, log bytes.Buffer
	run := func(want error, args ...string) {
		t.Helper()
		out.Reset()
		log.Reset()
		if err := execute(t.Context(), args, &out, &log); exitCode(err) != exitCode(want) {
			t.Fatalf("%q: %v, want %v\n%s%s", args, err, want, &out, &log)
		}
	}
	run(nil, "run", "./...")
	a, b := filepath.Join("a", "spec.go"), filepath.Join("a", "b", "kernels.go")
	if want := "tilesmith: " + a + ": wrote 4 files\ntilesmith: " + b + ": wrote 4 files\n"; log.String() != want || out.Len() > 0 {
		t.Errorf("it says %q, want %q; and on stdout %q", &log, want, &out)
	}
	run(nil, "run", "--check", "a/...")
	if out.Len()+log.Len() > 0 {
		t.Errorf("nothing differs, and it says %q and %q", &out, &log)
	}
	for _, f := range []string{"a/a_gen.go", "a/b/kernels_gen.go"} {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	run(childError{1}, "run", "--check", "a/...")
	if strings.Count(out.String(), "_gen.go is missing\n") != 2 || strings.Count(log.String(), "_gen.go is missing; run go generate") != 2 || strings.Count(log.String(), "\n") != 2 {
		t.Errorf("two files are missing, and it says\n%sand\n%s", &out, &log)
	}
	run(nil, "explain", "a/...", "--target", "avx2")
	if !strings.HasPrefix(out.String(), "#### "+a+"\n\n== One, avx2, in short\n") || !strings.Contains(out.String(), "\n#### "+b+"\n\n== One, avx2, in short\n") {
		t.Errorf("of two specs it shows\n%.500s", &out)
	}
}
