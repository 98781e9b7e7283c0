package gencmd

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var genLine = regexp.MustCompile(`^//go:generate .*\btilesmith gen (.+)$`)

// onlyLine refuses a name that two different go:generate lines of the package in dir give to
// kernels there. The one that ran last would have replaced the files of the other.
func onlyLine(dir, name string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil // a folder with a pattern's letters in its name
	}
	found, at := "", ""
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			m := genLine.FindStringSubmatch(strings.TrimSpace(line))
			if m == nil {
				continue
			}
			words := strings.Fields(strings.ReplaceAll(m[1], "=", " "))
			if wordAfter(words, "--name") != name || filepath.Clean(wordAfter(words, "--out")) != "." {
				continue
			}
			here := fmt.Sprintf("%s:%d", file, n)
			if found != "" && found != m[1] {
				return fmt.Errorf("%s and %s both generate %s here; rename one, or keep one", at, here, name)
			}
			found, at = m[1], here
		}
	}
	return nil
}

// wordAfter is the word that follows a flag, or "".
func wordAfter(words []string, flag string) string {
	if i := slices.Index(words, flag); i >= 0 && i+1 < len(words) {
		return words[i+1]
	}
	return ""
}
