package cost

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

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

// Table prints candidates, a line each, and marks the chosen one.
func Table[P any](w io.Writer, list []Candidate[P], chosen int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "way\tflops\tbytes moved\tmessages\tbytes sent\tbytes held\ttime\t")
	for i, c := range list {
		moved := 0.0
		for _, b := range c.Work.Bytes {
			moved += b
		}
		fmt.Fprintf(t, "%s\t%.4g\t%.4g\t%.4g\t%.4g\t%d\t%s\t", c.Name, c.Work.Flops, moved, c.Work.Messages, c.Work.Sent, c.Holds, Seconds(c.Seconds))
		if i == chosen {
			fmt.Fprint(t, " <-")
		}
		if c.Note != "" {
			fmt.Fprint(t, " ", c.Note)
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}
