package snippets

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/e2e/internal/tool"
	"github.com/tilesmith/tilesmith/internal/level"
)

// rootDir is the folder of the main module.
func rootDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestSnippets compiles every block of Go of the documentation in one build, and runs it unless it says that it is not to be run.
func TestSnippets(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program of all snippets")
	}
	root := rootDir(t)
	blocks, err := Pages(root)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewScratch(t.TempDir(), root)
	if err != nil {
		t.Fatal(err)
	}
	var packages []Package
	sketches := 0
	for _, b := range blocks {
		if b.Info == "go sketch" {
			sketches++
			continue
		}
		if b.Info != "go" && b.Info != "go build" {
			t.Errorf("%s: a block of %q; there are go, go more, go build and go sketch", b, b.Info)
			continue
		}
		p, err := translated(b)
		if err != nil {
			t.Error(err)
			continue
		}
		if !p.Spec { // TestSpecs
			packages = append(packages, p)
		}
	}
	placed := Place(packages)
	if len(placed) < 40 {
		t.Errorf("%d blocks are compiled, want 40 or more", len(placed))
	}
	t.Logf("%d blocks, %d sketches", len(placed), sketches)
	for _, p := range placed {
		if err := p.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Write("", "main.go", Runner(placed)); err != nil {
		t.Fatal(err)
	}
	if out, err := s.Command("go", "build", "-o", "runner", ".").CombinedOutput(); err != nil {
		t.Fatal(explain(string(out), placed))
	}
	out, err := s.Command(filepath.Join(s.Dir, "runner")).Output()
	if err != nil {
		t.Error(err)
	}
	results := Results(string(out))
	for _, p := range placed {
		r := results[p.ID]
		switch {
		case !p.Runs && !p.Specs:
		case r.End != "done":
			t.Errorf("%s ends with %q and printed\n%s", p.Block, r.End, r.Printed)
		case p.Prints && r.Printed != p.Output:
			t.Errorf("%s prints\n%s\nwant\n%s", p.Block, r.Printed, p.Output)
		}
	}
}

func translated(b Block) (Package, error) {
	given, err := Given(b.Page)
	if err != nil {
		return Package{}, err
	}
	return Translate(b, given)
}

// explain puts the places of blocks for the files that the compiler names.
func explain(out string, placed []Placed) string {
	for _, p := range placed {
		out = strings.ReplaceAll(out, p.ID+".go", p.Block.String()+" "+p.ID+".go")
	}
	return out
}

// TestSpecs runs the spec files of the pages with the command, and the tests that it writes.
func TestSpecs(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command, and runs it")
	}
	root := rootDir(t)
	blocks, err := Pages(root)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewScratch(t.TempDir(), root)
	if err != nil {
		t.Fatal(err)
	}
	files := []string{"run"}
	for i, b := range blocks {
		if b.Info != "go" {
			continue
		}
		p, err := translated(b)
		if err != nil || !p.Spec {
			continue // TestSnippets says what is wrong
		}
		folder := fmt.Sprintf("s%03d", i)
		if err := s.Write(folder, "doc.go", "package "+folder+"\n"); err != nil {
			t.Fatal(err)
		}
		if err := s.Write(folder, "spec.go", p.Files["spec.go"]); err != nil {
			t.Fatal(err)
		}
		files = append(files, filepath.Join(folder, "spec.go"))
	}
	if len(files) < 3 {
		t.Fatalf("there are %d spec files", len(files)-1)
	}
	command, err := tool.Tilesmith()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][]string{
		append([]string{command}, files...),
		level.Of([]string{"go", "vet", "./..."}, []string{"go", "test", "-short", "./..."}, []string{"go", "test", "./..."}),
	} {
		if out, err := s.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(c, " "), err, out)
		}
	}
	if _, err := os.Stat(filepath.Join(s.Dir, filepath.Dir(files[1]))); err != nil {
		t.Error(err)
	}
}
