package cost

import (
	"math"
	"slices"
)

// Best is the fastest of candidates that come one by one. It is [Choose] for callers that must not
// allocate a list, or that stop pricing a candidate once it is slower. The zero value has met none.
//
// P is what candidates differ in. Leave out of it what the order of additions follows from: then no
// choice can change the bits of a result.
type Best[P any] struct {
	Plan    P
	Seconds float64
	Found   bool // there is one
}

// Offer takes a candidate that is the first or faster than all before, and reports whether it did. One whose time is NaN, which
// no model knows, gives way to any other.
func (b *Best[P]) Offer(plan P, seconds float64) bool {
	if b.Found && !(seconds < b.Seconds) && (!math.IsNaN(b.Seconds) || math.IsNaN(seconds)) {
		return false
	}
	b.Plan, b.Seconds, b.Found = plan, seconds, true
	return true
}

// Slowest returns the number of the part that takes longest, the first of those that take as long.
func Slowest(parts []float64) int {
	most := 0
	for i, x := range parts {
		if x > parts[most] {
			most = i
		}
	}
	return most
}

// SortBy puts what takes least seconds first, and leaves what takes as long in its order.
func SortBy[E any](list []E, seconds func(E) float64) {
	slices.SortStableFunc(list, func(a, b E) int {
		switch x, y := seconds(a), seconds(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
}
