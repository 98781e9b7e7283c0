package tilesmith

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What a stranger reads to its end.
const (
	readmeBytes = 9216
	readmeLines = 180
)

// TestReadme holds the README to its size, and to the two commands that CI runs as it gives them.
func TestReadme(t *testing.T) {
	text := readFile(t, "README.md")
	if n := strings.Count(text, "\n"); len(text) > readmeBytes || n > readmeLines {
		t.Errorf("README.md has %d bytes in %d lines, want at most %d in %d; what does not fit has a page in docs", len(text), n, readmeBytes, readmeLines)
	}
	for _, line := range []string{"go run ./gen/tilesmith demo", "go test ./..."} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("README.md has no line %q", line)
		}
	}
	if n := strings.Count(text, "<!-- times -->"); n != 1 {
		t.Errorf("README.md has %d lines with times, want 1", n)
	}
	for _, s := range sentences(text) {
		if n := len(strings.Fields(s)); n > 45 {
			t.Errorf("README.md has a sentence of %d words, want at most 45: %s", n, s)
		}
	}
}

// TestIndex holds that docs/README.md lists every page beside it.
func TestIndex(t *testing.T) {
	names, err := filepath.Glob("docs/*.md")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d pages: %v", len(names), err)
	}
	index := readFile(t, "docs/README.md")
	for _, name := range names {
		if base := filepath.Base(name); base != "README.md" && !strings.Contains(index, "]("+base+")") {
			t.Errorf("docs/README.md does not list %s", base)
		}
	}
}

// relative matches the file that a link leads to, but not those to other hosts.
var relative = regexp.MustCompile(`\]\(([A-Za-z0-9_.][^):#]*)(?:#[^)]*)?\)`)

// deadLinks returns the links of a page in a folder that lead to no file.
func deadLinks(folder, text string) (dead []string) {
	for _, m := range relative.FindAllStringSubmatch(withoutCode(text), -1) {
		if _, err := os.Stat(filepath.Join(folder, m[1])); err != nil {
			dead = append(dead, m[1])
		}
	}
	return dead
}

// TestLinks holds that links of every page of the repository lead to files; TestSections is about headings.
func TestLinks(t *testing.T) {
	found := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		text := readFile(t, path)
		found += len(relative.FindAllString(text, -1))
		for _, to := range deadLinks(filepath.Dir(path), text) {
			t.Errorf("%s: link to %s, which is not there", path, to)
		}
		return nil
	})
	if err != nil || found < 100 {
		t.Errorf("found %d links: %v", found, err)
	}
	if dead := deadLinks("docs", "[a](none.md), [b](../README.md#speed), [c](https://x.org), `[d](e)`"); !slices.Equal(dead, []string{"none.md"}) {
		t.Errorf("dead links are %q, want none.md", dead)
	}
}

// testName matches the name of a test in prose or in a command.
var testName = regexp.MustCompile("(?:`|-run |-bench )((?:Test|Benchmark|Fuzz|Example)[A-Z]?[A-Za-z0-9_]*)\\b")

// TestNamedTests holds that tests which pages name are there.
func TestNamedTests(t *testing.T) {
	declared := make(map[string]bool)
	function := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz|Example)\w*)\(`)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, m := range function.FindAllStringSubmatch(readFile(t, path), -1) {
			declared[m[1]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" || path == filepath.Join("docs", "tutorial.md") { // its reader writes tests
			return err
		}
		for _, m := range testName.FindAllStringSubmatch(readFile(t, path), -1) {
			found++
			if !declared[m[1]] {
				t.Errorf("%s names %s, which is not there", path, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 15 {
		t.Errorf("pages name %d tests", found)
	}
}

// longWinded has the pages that tests write from tables.
var longWinded = []string{"docs/language.md", "docs/tpp.md"}

// TestSentences holds that half of the sentences of a page have at most 20 words.
func TestSentences(t *testing.T) {
	for page, text := range pages(t) {
		if slices.Contains(longWinded, page) {
			continue
		}
		words := []int{}
		for _, s := range sentences(text) {
			words = append(words, len(strings.Fields(s)))
		}
		slices.Sort(words)
		if n := len(words); n > 0 && words[n/2] > 20 {
			t.Errorf("%s: half of %d sentences have more than %d words, want 20 or fewer", page, n, words[n/2]-1)
		}
	}
	got := sentences("# A heading\n\nOne two. Three, e.g. this:\n\n```\ncode. more.\n```\n\n- Four\n  five.\n- Six\n\n| a. b. |\n")
	if want := []string{"One two", "Three, e.g. this", "Four five", "Six"}; !slices.Equal(got, want) {
		t.Errorf("sentences are %q, want %q", got, want)
	}
}

// sentenceEnd matches the end of a sentence: a mark, and a capital or the end behind it.
var sentenceEnd = regexp.MustCompile("[.:?!][)\"]*(?:\\s+(?:[A-Z`\\[(]|$)|$)")

// sentences returns those of a page's prose, without headings, tables and code.
func sentences(text string) (out []string) {
	paragraph := ""
	flush := func() {
		for {
			at := sentenceEnd.FindStringIndex(paragraph)
			if at == nil {
				break
			}
			out = append(out, strings.TrimSpace(paragraph[:at[0]]))
			paragraph = paragraph[at[0]+1:]
			paragraph = strings.TrimLeft(paragraph, ")\" ")
		}
		if paragraph = strings.TrimSpace(paragraph); paragraph != "" {
			out = append(out, paragraph)
		}
		paragraph = ""
	}
	for line := range strings.Lines(withoutCode(text)) {
		line = strings.TrimSpace(line)
		item := strings.TrimLeft(line, "-*0123456789.")
		switch {
		case line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "<!--") || strings.HasPrefix(line, "!["):
			flush()
		case item != line && strings.HasPrefix(item, " "):
			flush()
			paragraph = strings.TrimSpace(item)
		default:
			paragraph = strings.TrimSpace(paragraph + " " + line)
		}
	}
	flush()
	return out
}

// withoutCode returns a page without its blocks and with X for what stands between backticks.
func withoutCode(text string) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
			fmt.Fprintln(&b)
			continue
		}
		if !code && !strings.HasPrefix(line, "    ") {
			b.WriteString(line)
		}
	}
	return regexp.MustCompile("`[^`]*`").ReplaceAllString(b.String(), "X")
}
