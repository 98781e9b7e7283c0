// Package ranges has what a spec promises of the operands of a function: between which numbers they are.
//
// Start with [Range]; [Promise] puts the ranges beside the function.
package ranges

import (
	"errors"
	"math"
	"strconv"
)

// Range has the numbers from Low to High, both included, and no NaN. Low is less than High. An infinite end leaves
// that side open. The zero Range says nothing.
type Range struct{ Low, High float64 }

// Check returns what is wrong with the range, or nil.
func (r Range) Check() error {
	switch {
	case r.Low != r.Low || r.High != r.High:
		return errors.New("an end is NaN; want a number, or an infinity for an open end")
	case r.Low == r.High:
		return errors.New("it has one number; write that into the function, or give ends with low < high")
	case r.Low > r.High:
		return errors.New("want low < high")
	}
	return nil
}

// Text says which numbers the range has, as a document does: "from 0.001 to 1". bits is 32 if its ends are numbers of
// float32 or a narrower type of floats, else 64.
func (r Range) Text(bits int) string {
	end := func(x float64) string {
		if x == math.Trunc(x) && math.Abs(x) < 1e15 {
			return strconv.FormatFloat(x, 'f', -1, 64)
		}
		return strconv.FormatFloat(x, 'g', -1, bits)
	}
	switch low, high := math.IsInf(r.Low, -1), math.IsInf(r.High, 1); {
	case low && high:
		return "any number but NaN"
	case low:
		return "at most " + end(r.High)
	case high:
		return "at least " + end(r.Low)
	}
	return "from " + end(r.Low) + " to " + end(r.High)
}

// Promise stands for the Go function Of, or for an emit.Derivative, each of whose operands lies in its range. Whoever inlines
// functions may drop what the ranges rule out. What the function then gives for other operands is not specified; it
// is never an access outside of memory that the function may access.
type Promise struct {
	Of     any
	Within []Range // by the number of the operand, counted from 0; operands without one follow, or have the zero Range
}
