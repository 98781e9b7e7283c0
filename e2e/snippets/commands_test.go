package snippets

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/e2e/internal/tool"
)

// TestMain removes what tests built.
func TestMain(m *testing.M) {
	code := m.Run()
	tool.Remove()
	os.Exit(code)
}

// TestCommands holds that the commands which pages show are there and have the flags they are given.
func TestCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	root := rootDir(t)
	command, err := tool.Tilesmith()
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]Help)
	help := func(words ...string) Help {
		key := strings.Join(words, " ")
		if h, ok := known[key]; ok {
			return h
		}
		out, err := exec.Command(command, append(slices.Clone(words), "--help")...).CombinedOutput()
		if err != nil {
			t.Errorf("tilesmith %s --help: %v", key, err)
		}
		known[key] = ParseHelp(string(out))
		return known[key]
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, page := range append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range Commands(filepath.Base(page), string(text), help().Below) {
			checked++
			words := c.Words[:1]
			if below := help(words...).Below; len(below) > 0 && len(c.Words) > 1 {
				if words = c.Words[:2]; !below[words[1]] {
					t.Errorf("%s: there is no tilesmith %s", c.Where, strings.Join(words, " "))
					continue
				}
			}
			for _, flag := range c.Flags {
				if !help(words...).Flags[flag] {
					t.Errorf("%s: tilesmith %s has no flag --%s", c.Where, strings.Join(words, " "), flag)
				}
			}
		}
	}
	if checked < 40 {
		t.Errorf("%d commands are checked, want 40 or more", checked)
	}
}

// TestCommandsOfPage: what a page shows is found, and what only looks like a command is not.
func TestCommandsOfPage(t *testing.T) {
	const page = "`tilesmith run --check x.go` says: tilesmith run is a command.\n\n```\nA=1 ./tilesmith gpu --out DIR --emu  # --no-flag\n" +
		"mpirun -n 2 tilesmith dist run --ranks 2\ntilesmith: gpu failed\n```\n\n```go\n// tilesmith sweep --x\n```\n"
	got := Commands("p.md", page, map[string]bool{"run": true, "gpu": true, "dist": true})
	want := []Command{{"p.md:4", []string{"gpu"}, []string{"out", "emu"}}, {"p.md:4", []string{"dist", "run"}, []string{"ranks"}}, {"p.md", []string{"run"}, []string{"check"}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	h := ParseHelp("Usage:\n\nAvailable Commands:\n  run   does it\n  list  lists\n\nFlags:\n  -h, --help   help\n      --max-time duration   x\n")
	if d := cmp.Diff(Help{map[string]bool{"help": true, "max-time": true}, map[string]bool{"run": true, "list": true}}, h); d != "" {
		t.Errorf("help (-want +got)\n%s", d)
	}
}
