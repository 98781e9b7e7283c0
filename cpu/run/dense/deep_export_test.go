package dense

import (
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
)

// SetPanelBudget makes products behave as much deeper ones do.
func SetPanelBudget(t *testing.T, bytes int) {
	budget, most := panelBudget, mem.Kept
	panelBudget, mem.Kept = bytes, bytes
	t.Cleanup(func() { panelBudget, mem.Kept = budget, most })
}
