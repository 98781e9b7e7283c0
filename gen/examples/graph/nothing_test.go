package graph

import (
	"testing"

	"github.com/tilesmith/tilesmith/verify/check"
)

// TestNothing: what has nothing to do takes no time, however many rows or columns there are.
func TestNothing(t *testing.T) {
	check.Nothing(t,
		Aggregate,
		Arrive,
		Attend,
		AttendBack,
		Average,
		Backward,
		Capped,
		CappedBack,
		Convolve,
		Furthest,
		Gather,
		Hybrid,
		Mixture,
		Narrow,
		Padded,
		Pool,
		Propagate,
		Rank,
		Readout,
		Relate,
		Sampled,
		Scores,
		Skip,
		Stored,
		Weights,
	)
}
