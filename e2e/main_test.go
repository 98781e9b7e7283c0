package e2e

import (
	"os"
	"testing"

	"github.com/tilesmith/tilesmith/e2e/internal/tool"
)

// TestMain removes what tests built.
func TestMain(m *testing.M) {
	code := m.Run()
	tool.Remove()
	os.Exit(code)
}
