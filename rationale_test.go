package tilesmith

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// entryLines is the most that an entry of docs/rationale has below its heading.
const entryLines = 12

// entryWidth keeps lines short enough for entryLines to mean something.
const entryWidth = 120

// rationaleFaults returns a line for each entry of a page that is too long, and for each
// line that is too wide.
func rationaleFaults(page, text string) (faults []string) {
	parts := strings.Split("\n"+text, "\n## ")
	for _, entry := range parts[1:] {
		title, body, _ := strings.Cut(entry, "\n")
		if n := strings.Count(strings.TrimSpace(body), "\n") + 1; n > entryLines || strings.TrimSpace(body) == "" {
			faults = append(faults, page+": "+title+": an entry has 1 to 12 lines; longer measurements belong in docs/results")
		}
	}
	for line := range strings.Lines(text) {
		if len(line) > entryWidth && !strings.HasPrefix(line, "|") {
			faults = append(faults, page+": wider than 120 bytes: "+line[:40])
		}
	}
	return faults
}

// TestRationale holds that entries and sentences are short, and that the index lists every page.
func TestRationale(t *testing.T) {
	pages, err := filepath.Glob("docs/rationale/*.md")
	if err != nil || len(pages) < 7 {
		t.Fatalf("pages: %v, %v", pages, err)
	}
	index, err := os.ReadFile("docs/rationale/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range rationaleFaults(page, string(text)) {
			t.Error(f)
		}
		if base := filepath.Base(page); base != "README.md" && !strings.Contains(string(index), "]("+base+")") {
			t.Errorf("docs/rationale/README.md does not list %s", base)
		}
		var words []int
		for _, s := range sentences(string(text)) {
			words = append(words, len(strings.Fields(s)))
		}
		slices.Sort(words)
		if n := len(words); words[n/2] > 16 || words[n*9/10] > 25 {
			t.Errorf("%s: a sentence has %d words in the median and a tenth have %d or more; want 16 and 25", page, words[n/2], words[n*9/10])
		}
	}
}

// TestRationaleFaults gives the check what it must refuse.
func TestRationaleFaults(t *testing.T) {
	for _, c := range []struct {
		what, text string
		want       int
	}{
		{"short", "# Page\n\n## One\n\nA line.\n\n## Two\n\nAnother.\n", 0},
		{"twelve lines", "## One\n\n" + strings.Repeat("A line.\n", 12), 0},
		{"thirteen lines", "## One\n\n" + strings.Repeat("A line.\n", 13), 1},
		{"no reason", "## One\n\n## Two\n\nA line.\n", 1},
		{"wide", "## One\n\n" + strings.Repeat("wide ", 25) + "\n", 1},
	} {
		if got := rationaleFaults("page.md", c.text); len(got) != c.want {
			t.Errorf("%s: %q, want %d faults", c.what, got, c.want)
		}
	}
}

// reason matches a comment's reference to an entry: the page, a comma, and the heading in quotes.
var reason = regexp.MustCompile(`(docs/rationale/[a-z]+\.md)(?:, "([^"]+)")?`)

// TestReasons holds that entries which comments name are there.
func TestReasons(t *testing.T) {
	found := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || path == "rationale_test.go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), "docs/rationale/") {
			return err
		}
		// A heading may go over two lines of a comment.
		for _, m := range reason.FindAllStringSubmatch(strings.ReplaceAll(string(text), "\n// ", " "), -1) {
			found++
			page, err := os.ReadFile(m[1])
			if err != nil || m[2] != "" && !strings.Contains(string(page), "\n## "+m[2]+"\n") {
				t.Errorf("%s: there is no %s", path, m[0])
			}
		}
		return nil
	})
	if err != nil || found < 7 {
		t.Errorf("found %d references: %v", found, err)
	}
}

// section matches a link to a heading, of another page or of the same.
var section = regexp.MustCompile(`\]\(([A-Za-z0-9_./-]*)#([a-z0-9-]+)\)`)

// anchors returns the names by which the headings of a page are linked to, as GitHub makes them.
func anchors(text string) map[string]bool {
	names := map[string]bool{}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(strings.TrimLeft(line, "#")))
		names[name] = true
	}
	return names
}

// TestSections holds that links to headings, in all documents, lead to headings.
func TestSections(t *testing.T) {
	found := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range section.FindAllStringSubmatch(string(text), -1) {
			found++
			to := text
			if m[1] != "" {
				if to, err = os.ReadFile(filepath.Join(filepath.Dir(path), m[1])); err != nil {
					t.Errorf("%s: link to %s: %v", path, m[1], err)
					continue
				}
			}
			if !anchors(string(to))[m[2]] {
				t.Errorf("%s: %s has no heading %s", path, m[1], m[2])
			}
		}
		return nil
	})
	if err != nil || found < 10 {
		t.Errorf("found %d links to headings: %v", found, err)
	}
}
