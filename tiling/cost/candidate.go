package cost

import "slices"

// A Candidate is one of several ways to do the same.
type Candidate[P any] struct {
	Name    string
	Plan    P
	Order   string // of additions: candidates with different ones have different bits
	Work    Work   // in all
	Holds   int64  // bytes at one time
	Seconds float64
	Note    string // what else there is to say
}

// Fit returns the candidates that a machine can hold, and how much the smallest of all holds.
func Fit[P any](list []Candidate[P], on Machine) (fit []Candidate[P], least int64) {
	for i, c := range list {
		if i == 0 || c.Holds < least {
			least = c.Holds
		}
		if on.Memory == 0 || c.Holds <= on.Memory {
			fit = append(fit, c)
		}
	}
	return fit, least
}

// Sort puts the fastest first, and leaves those that take as long in their order.
func Sort[P any](list []Candidate[P]) {
	SortBy(list, func(c Candidate[P]) float64 { return c.Seconds })
}

// Choose returns the number of the candidate to take, the simplest of which are first: the first
// that takes at most slack of the fastest's time more. It looks only at those with the order of
// additions of the first, since no choice may change the bits of a result.
func Choose[P any](list []Candidate[P], slack float64) int {
	var best Best[int]
	for i, c := range list {
		if c.Order == list[0].Order {
			best.Offer(i, c.Seconds)
		}
	}
	return slices.IndexFunc(list, func(c Candidate[P]) bool {
		return c.Order == list[0].Order && c.Seconds <= float64(1+slack)*best.Seconds
	})
}
