package gen_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A block is one of a page between fences: its language, its lines, and the file that the line
// before it names last.
type block struct {
	lang, file string
	lines      []string
}

var fileName = regexp.MustCompile("`([a-z_]+\\.go)`[^`]*:$")

// blocks are those of a page of Markdown.
func blocks(page string) []block {
	var out []block
	var in *block
	before := ""
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		lang, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && in == nil:
			in = &block{lang: lang}
			if m := fileName.FindStringSubmatch(before); m != nil {
				in.file = m[1]
			}
		case fence:
			out = append(out, *in)
			in, before = nil, ""
		case in != nil:
			in.lines = append(in.lines, line)
		case line != "":
			before = line
		}
	}
	return out
}

var numeral = regexp.MustCompile(`-?\d+(\.\d+)?`)

// alike reports whether a line is the one wanted but for numbers and the space between words;
// one that ends in " ..." goes on in any way.
func alike(have, want string) bool {
	plain := func(s string) string { return strings.Join(strings.Fields(numeral.ReplaceAllString(s, "0")), " ") }
	if begin, open := strings.CutSuffix(plain(want), " ..."); open {
		return strings.HasPrefix(plain(have), begin)
	}
	return plain(have) == plain(want)
}

// shows reports whether lines are those wanted, of which "..." stands for any number.
func shows(have, want []string) bool {
	if len(want) == 0 {
		return len(have) == 0
	}
	if want[0] != "..." {
		return len(have) > 0 && alike(have[0], want[0]) && shows(have[1:], want[1:])
	}
	if len(want) == 1 {
		return true
	}
	for i := range have {
		if alike(have[i], want[1]) && shows(have[i:], want[1:]) {
			return true
		}
	}
	return false
}

// TestShows is about the comparison itself.
func TestShows(t *testing.T) {
	lines := func(s string) []string { return strings.Split(s, "|") }
	for _, c := range []struct {
		have, want string
		ok         bool
	}{
		{"ok 0.5s", "ok  12.25s", true}, {"ok", "no", false}, {"a|b", "a", false}, {"a", "a|b", false},
		{"x|a|b|c", "...|b|...", true}, {"x|a|c", "...|b|...", false}, {"a|b|c|b|d", "a|...|b|d", true}, {"a|b", "a|...", true}, {"a b c", "a b ...", true}, {"a c", "a b ...", false}, {"a|b|c", "...|b", false},
	} {
		if shows(lines(c.have), lines(c.want)) != c.ok {
			t.Errorf("%q, of which %q is wanted: not %v", c.have, c.want, c.ok)
		}
	}
}

// TestTutorial does what docs/tutorial.md says, command by command, from an empty folder and
// without a network: of this checkout, which stands in for the module.
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command in a module of its own, and sweeps")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the page's commands are for a POSIX shell")
	}
	page, err := os.ReadFile(filepath.Join(root(t), "docs", "tutorial.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	env := append(os.Environ(), "GOFLAGS=-mod=mod -buildvcs=false", "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "CGO_ENABLED=0", "TILESMITH_LONG=")
	run := func(line string) []string {
		t.Helper()
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir, cmd.Env = dir, append(slices.Clone(env), "PWD="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
		return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	}
	var last []string
	command := ""
	shown := 0
	for _, b := range blocks(string(page)) {
		switch b.lang {
		case "sh":
			for _, command = range b.lines {
				if rest, sub, ok := strings.Cut(command, " && cd "); ok { // stays there
					run(rest)
					dir = filepath.Join(dir, sub)
					continue
				}
				last = run(command)
				if strings.HasPrefix(command, "go mod init ") {
					run("go mod edit -replace github.com/tilesmith/tilesmith=" + root(t))
				}
			}
		case "text":
			shown++
			if !shows(last, b.lines) {
				t.Errorf("%s prints\n%s\nand the page shows\n%s", command, strings.Join(last, "\n"), strings.Join(b.lines, "\n"))
			}
		case "go":
			if b.file == "" {
				t.Fatalf("the page does not say which file this is:\n%s", strings.Join(b.lines, "\n"))
			}
			if err := os.WriteFile(filepath.Join(dir, b.file), []byte(strings.Join(b.lines, "\n")+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatalf("the page has a block of %q; there are sh, text and go", b.lang)
		}
	}
	if shown < 5 || !strings.HasPrefix(command, "go tool tilesmith sweep") {
		t.Errorf("%d blocks are shown, and the last command is %s", shown, command)
	}
	if _, err := os.Stat(filepath.Join(dir, "layer.html")); err != nil {
		t.Error(err)
	}
}
