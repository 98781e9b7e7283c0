package dense

import (
	"testing"

	"github.com/tilesmith/tilesmith/internal/budget"
)

// SetPanelBudget makes products behave as much deeper ones do.
func SetPanelBudget(t *testing.T, bytes int) { t.Cleanup(budget.Shrink(bytes)) }
