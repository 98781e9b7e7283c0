package tilesmith

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// TestModules holds the three modules together: the workspace lists them, they agree on the version of Go and on those
// of other modules, and the main one, tests included, does without the others.
func TestModules(t *testing.T) {
	dirs := []string{".", "e2e", examples}
	if have := workspace(t); !slices.Equal(have, dirs) {
		t.Errorf("go.work lists %q, want %q", have, dirs)
	}
	main := modOf(t, ".")
	for _, dir := range dirs[1:] {
		m := modOf(t, dir)
		if want := module + "/" + dir; m.Module.Mod.Path != want {
			t.Errorf("%s is module %s, want %s", dir, m.Module.Mod.Path, want)
		}
		if m.Go.Version != main.Go.Version {
			t.Errorf("%s is for Go %s, the main module for %s", dir, m.Go.Version, main.Go.Version)
		}
		versions := required(main)
		for path, version := range required(m) {
			if path != module && !strings.HasPrefix(path, module+"/") && versions[path] != version {
				t.Errorf("%s requires %s %s, the main module %q", dir, path, version, versions[path])
			}
		}
		up, err := filepath.Rel(dir, ".")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(m.Replace, func(r *modfile.Replace) bool { return r.Old.Path == module && r.New.Path == filepath.ToSlash(up) }) {
			t.Errorf("%s does not replace %s by %s", dir, module, up)
		}
	}
	for file, imports := range mainImports(t) {
		for _, path := range imports {
			if under(path, module+"/"+examples, module+"/e2e") {
				t.Errorf("%s imports %s, of another module", file, path)
			}
		}
	}
}

// workspace returns the folders of go.work, in order.
func workspace(t *testing.T) (dirs []string) {
	t.Helper()
	text, err := os.ReadFile("go.work")
	if err != nil {
		t.Fatal(err)
	}
	work, err := modfile.ParseWork("go.work", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range work.Use {
		dirs = append(dirs, filepath.ToSlash(filepath.Clean(u.Path)))
	}
	slices.Sort(dirs)
	return dirs
}

func modOf(t *testing.T, dir string) *modfile.File {
	t.Helper()
	file := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := modfile.Parse(file, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// required returns versions by module.
func required(m *modfile.File) map[string]string {
	return maps.Collect(func(yield func(path, version string) bool) {
		for _, r := range m.Require {
			if !yield(r.Mod.Path, r.Mod.Version) {
				return
			}
		}
	})
}

// mainImports returns what every Go file of the main module imports, whatever the platform it is for.
func mainImports(t *testing.T) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path == "e2e" || path == examples || d.Name() == "testdata" || path != "." && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		files[path] = nil
		for _, i := range f.Imports {
			files[path] = append(files[path], strings.Trim(i.Path.Value, `"`))
		}
		return nil
	})
	if err != nil || len(files) < 500 {
		t.Fatalf("read %d files: %v", len(files), err)
	}
	return files
}
