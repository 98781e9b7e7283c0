// Package reduce names what becomes of many numbers: their sum, the largest, where it is.
// Specs, kernels, calls and oracles mean the same by these names.
package reduce

import "math"

// Op is a reduction.
type Op uint8

// The reductions. Max and ArgMax treat NaN as larger than any number, Min and ArgMin as
// smaller. If values are equal, the lowest index counts. +0 equals -0, and Max and Min
// never give -0.
const (
	Sum Op = iota
	Max
	ArgMax
	ArgMin
	Min
	SumSquares // the sum of x*x, which kernels round once with the addition
	LogSumExp  // the logarithm of the sum of e^x, without overflow
	Prod
)

// String returns the name, as Go code spells it.
func (op Op) String() string {
	return [...]string{"Sum", "Max", "ArgMax", "ArgMin", "Min", "SumSquares", "LogSumExp", "Prod"}[op]
}

// Arg reports whether the result is an index.
func (op Op) Arg() bool { return op == ArgMax || op == ArgMin }

// Adds reports whether partial results are added.
func (op Op) Adds() bool { return op == Sum || op == SumSquares }

// Identity is what a reduction begins with: a number that changes no result.
func (op Op) Identity() float64 {
	switch op {
	case Max, ArgMax, LogSumExp:
		return math.Inf(-1)
	case Min, ArgMin:
		return math.Inf(1)
	case Prod:
		return 1
	}
	return 0
}
