package blocks

import (
	"testing"

	"github.com/tilesmith/tilesmith/verify/check"
)

// TestNothing: what has nothing to do takes no time, however many rows or columns there are.
func TestNothing(t *testing.T) {
	check.Nothing(t,
		Brain16,
		Brain32,
		Brain64,
		Layer,
		Nine,
		Sum16,
		Sum32,
		Sum64,
		Whole,
	)
}
