package amd64

import (
	"os"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
)

// TestPassesInDocs compares the passes that two documents list with those that run.
func TestPassesInDocs(t *testing.T) {
	var names []string
	for _, p := range (Backend{}).Passes(emit.Target{}) {
		names = append(names, p.Name)
	}
	want := strings.Join(names, ", ")
	for _, page := range []string{"../../docs/design.md", "../../docs/follow.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), want) {
			t.Errorf("%s does not say that the passes are %s", page, want)
		}
	}
}
