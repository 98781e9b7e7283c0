package run

import "testing"

// SetPanelBudget makes products behave as much deeper ones do.
func SetPanelBudget(t *testing.T, bytes int) {
	budget, most := panelBudget, kept
	panelBudget, kept = bytes, bytes
	t.Cleanup(func() { panelBudget, kept = budget, most })
}
