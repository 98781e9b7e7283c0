package snippets

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDivide: what a block of a page is, by what it says.
func TestDivide(t *testing.T) {
	for _, c := range []struct {
		text string
		want kind
		err  bool
	}{
		{"package main\n\nfunc main() {}\n", program, false},
		{"func f() {}\n\nvar x = 1\n", declarations, false},
		{"x := 1\nfmt.Println(x)\n", statements, false},
		{"func f() int {\n\treturn 1\n}\n\nx := f()\n", statements, false},
		{"gemm.Spec[a, b, c, d]{Name: \"X\"},\n", specs, false},
		{"func f(x int) int { return x }\n\ngemm.Spec[a, b, c, d]{Of: f},\n", specs, false},
		{"x := \n", 0, true},
		{"if err != nil {\n", 0, true},
		{"case x:\n\tf()\n", 0, true},
		{"", declarations, false},
	} {
		p, err := divide(c.text)
		if (err != nil) != c.err || err == nil && p.kind != c.want {
			t.Errorf("%q is of kind %d, %v; want %d, an error: %v", c.text, p.kind, err, c.want, c.err)
		}
	}
}

// TestTranslate: the files that a block becomes.
func TestTranslate(t *testing.T) {
	const given = "package snippet\n\nvar x = math.Pi\n\nfunc f() {}\n"
	p, err := Translate(Block{"p.md", 7, "go", "func f() { cpu.Threads() }\n\ny, err := x, error(nil)\nrun.Options{}\nf()\n// Output:\n// 1\n// 2\n"}, given)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Runs || !p.Prints || p.Output != "1\n2" {
		t.Errorf("it runs: %v, prints: %v, %q", p.Runs, p.Prints, p.Output)
	}
	want := map[string]string{
		"given.go": "package snippet\nimport \"math\"\nvar x = math.Pi\n",
		"snippet.go": "package snippet\nimport \"github.com/tilesmith/tilesmith/cpu\"\nimport \"github.com/tilesmith/tilesmith/cpu/run\"\n" +
			"func f() { cpu.Threads() }\nfunc Run() error {\ny, err := x, error(nil)\n_ = run.Options{}\nf()\n// Output:\n// 1\n// 2\n_ = y\n_ = err\nreturn nil\n}\n",
	}
	got := make(map[string]string)
	for name, text := range p.Files {
		for strings.Contains(text, "\n\n") {
			text = strings.ReplaceAll(text, "\n\n", "\n")
		}
		got[name] = text
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if p, err := Translate(Block{"p.md", 7, "go build", "f()\n"}, given); err != nil || p.Runs {
		t.Errorf("a block of go build runs: %v, %v", p.Runs, err)
	}
}

// TestPages: blocks of a page and of a comment, and which of those are Go.
func TestPages(t *testing.T) {
	got := joined(Markdown("p.md", "A.\n\n```go\nx := 1\n```\n\n```go more\nf(x)\n```\n\n```\ntext\n```\n"))
	want := []Block{{"p.md", 4, "go", "x := 1\nf(x)\n"}, {"p.md", 12, "", "text\n"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	for text, is := range map[string]bool{
		"x := 1\n": true, "cpu.MatMul(a, b, c)\n": true, "if err != nil {\n": true,
		"// sketch\nx := 1\n": false, "x := 1\n...\n": false, "a  b\n-- --\n": false, "0 - 1\n|   |\n": false,
	} {
		if looksLikeGo(text) != is {
			t.Errorf("%q is Go: %v, want %v", text, !is, is)
		}
	}
}

// TestResults: how packages ended, by what the runner prints.
func TestResults(t *testing.T) {
	got := Results("x\n\x00begin a\n1\n2\n\n\x00done\n\n\x00begin b\n\n\x00panic no\n\n\x00begin c\nhalf")
	want := map[string]Result{"a": {"1\n2", "done"}, "b": {"", "panic no"}, "c": {"half", ""}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
