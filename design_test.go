package tilesmith

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// floors returns the packages at the left edge of the drawing under a heading, from the ground up.
func floors(page, heading string) (names []string) {
	_, text, _ := strings.Cut(page, "\n## "+heading+"\n")
	_, text, _ = strings.Cut(text, "```\n")
	text, _, _ = strings.Cut(text, "```")
	for line := range strings.Lines(text) {
		if name, _, _ := strings.Cut(strings.TrimRight(line, "\n"), " "); name != "" {
			names = append(names, name)
		}
	}
	slices.Reverse(names)
	return names
}

// TestDesign compares the drawing of docs/design.md with the order that TestHouse holds.
func TestDesign(t *testing.T) {
	page, err := os.ReadFile("docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	if got := floors(string(page), "The house"); !slices.Equal(got, house) {
		t.Errorf("docs/design.md draws, from the ground up, %v; arch_test.go has %v", got, house)
	}
}
