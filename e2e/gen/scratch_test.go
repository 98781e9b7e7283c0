package gen_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/e2e/internal/tool"
	"github.com/tilesmith/tilesmith/internal/level"
)

// toolPath is what a user's go.mod names, and go run runs.
const toolPath = "github.com/tilesmith/tilesmith/gen/tilesmith"

// scratchModule is the go.mod of somebody who has this checkout as tilesmith. It is
// what `go get -tool` leaves behind.
func scratchModule(t *testing.T) string {
	ours, err := os.ReadFile(filepath.Join(root(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	// What the tool needs is what we need, as go get -tool would write it.
	_, needs, _ := strings.Cut(string(ours), "require (")
	return "module example.com/shop\n\ngo 1.26.0\n\nrequire github.com/tilesmith/tilesmith v0.0.0\n\nrequire (" + needs +
		"\nreplace github.com/tilesmith/tilesmith => " + root(t) + "\n\ntool " + toolPath + "\n"
}

// long reports whether to do also what repeats other tests in more steps, and what
// compiles the libraries again.
func long() bool { return level.Long() }

// some are n of all cases, evenly spaced, and those of its turn in a long run: of tests that build and
// run a program for each.
func some[T any](n int, all []T) []T {
	var out []T
	for _, i := range level.Pick(len(all), 0, n) {
		out = append(out, all[i])
	}
	return out
}

// A scratch is a module of its own in a temporary folder.
type scratch struct {
	t   *testing.T
	dir string
	env []string
}

// newScratch makes a module from files by name and text. Its go.mod lists all that it
// needs, which the tests themselves need: nothing has to be fetched.
func newScratch(t *testing.T, files map[string]string) *scratch {
	t.Helper()
	if testing.Short() {
		t.Skip("builds programs in a module of its own")
	}
	sum, err := os.ReadFile(filepath.Join(root(t), "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	s := &scratch{t, t.TempDir(), []string{"GOFLAGS=-mod=mod -buildvcs=false", "GOWORK=off", "CGO_ENABLED=0", "TILESMITH_LONG="}}
	s.put("go.mod", scratchModule(t))
	s.put("go.sum", string(sum))
	for name, text := range files {
		s.put(name, text)
	}
	return s
}

func (s *scratch) put(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

// try runs a program in the folder sub of the module.
func (s *scratch) try(sub, program string, args ...string) (out string, err error) {
	s.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = filepath.Join(s.dir, sub)
	cmd.Env = append(append(os.Environ(), s.env...), "PWD="+cmd.Dir)
	b, err := cmd.CombinedOutput()
	return string(b), err
}

// goes runs the go command, which has to succeed.
func (s *scratch) goes(args ...string) string {
	s.t.Helper()
	out, err := s.try(".", "go", args...)
	if err != nil {
		s.t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// makes runs tilesmith in a folder of the module; it has to succeed.
func (s *scratch) makes(sub string, args ...string) string {
	s.t.Helper()
	out, err := s.try(sub, command(s.t), args...)
	if err != nil {
		s.t.Fatalf("tilesmith %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// generated returns the generated files below the module by name; with remove they
// are deleted.
func (s *scratch) generated(remove bool) map[string]string {
	s.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == "vendor" {
				return filepath.SkipDir
			}
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(data, []byte(generatedMark)) {
			return err
		}
		rel, err := filepath.Rel(s.dir, path)
		files[rel] = string(data)
		if err == nil && remove {
			err = os.Remove(path)
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return files
}

// sameFiles wants two sets of files to be the same byte for byte.
func sameFiles(t *testing.T, what string, have, want map[string]string) {
	t.Helper()
	if len(want) == 0 {
		t.Errorf("%s: no files", what)
	}
	for name, text := range want {
		switch other, ok := have[name]; {
		case !ok:
			t.Errorf("%s: %s is missing", what, name)
		case other != text:
			t.Errorf("%s: %s differs", what, name)
		}
	}
	for name := range have {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s was not there", what, name)
		}
	}
}

// command is the tilesmith of this checkout, built once for all tests.
func command(t *testing.T) string {
	t.Helper()
	file, err := tool.Tilesmith()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestMain removes what was built.
func TestMain(m *testing.M) {
	code := m.Run()
	tool.Remove()
	os.Exit(code)
}
