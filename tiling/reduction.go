package tiling

import "math"

// Reduction is what becomes of all results in a row or column.
type Reduction uint8

// The reductions. Max and ArgMax treat NaN as larger than any number, Min and ArgMin as
// smaller. If values are equal, the lowest index counts. +0 equals -0, and Max and Min
// never give -0.
const (
	Sum Reduction = iota
	Max
	ArgMax
	ArgMin
	Min
	SumSquares // the sum of x*x, which kernels round once with the addition
	LogSumExp  // the logarithm of the sum of e^x, without overflow
)

func (r Reduction) String() string {
	return [...]string{"Sum", "Max", "ArgMax", "ArgMin", "Min", "SumSquares", "LogSumExp"}[r]
}

// Arg reports whether the result is an index.
func (r Reduction) Arg() bool { return r == ArgMax || r == ArgMin }

// Identity is what a reduction begins with: a number that changes no result.
func (r Reduction) Identity() float64 {
	switch r {
	case Max, ArgMax, LogSumExp:
		return math.Inf(-1)
	case Min, ArgMin:
		return math.Inf(1)
	}
	return 0
}
