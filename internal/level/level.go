// Package level says how much a test does. Only tests import it, and packages that only tests import.
//
// There are three levels. A normal run, go test ./..., tries a fixed sample of what can be tried.
// A short run, -short, is for every save. A long run, TILESMITH_LONG=1, repeats the sample and tries the share of
// the rest that is this turn's: TILESMITH_TURN counts the runs of CI, and ten turns try everything.
package level

import (
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/testenv"
)

// Turns is how many long runs try everything between them.
const Turns = 10

// Long reports whether this run is long: TILESMITH_LONG is set, and not to 0.
func Long() bool { return testenv.Long() }

// Of returns the argument for this run's level.
func Of[T any](short, normal, long T) T {
	switch {
	case Long():
		return long
	case testing.Short():
		return short
	}
	return normal
}

// Turn returns which share of the cases a long run tries, from 0 to Turns-1. If TILESMITH_TURN is no number, the test binary ends.
func Turn() int {
	return int(testenv.Number("TILESMITH_TURN") % Turns)
}

// Pick returns which of the cases 0 to n-1 this run tries, in increasing order.
// A short run tries at most short of them, a normal run at most normal, both evenly spaced and always the same.
// A long run tries those of a normal one and every Turns-th of the others, beginning with its turn.
func Pick(n, short, normal int) []int {
	if Long() {
		sample := make(map[int]bool)
		for _, i := range spaced(n, normal) {
			sample[i] = true
		}
		return picked(n, func(i int) bool { return sample[i] || i%Turns == Turn() })
	}
	if testing.Short() {
		return spaced(n, short)
	}
	return spaced(n, normal)
}

// spaced returns at most want of the numbers below n, evenly spaced.
func spaced(n, want int) []int {
	if want >= n {
		return picked(n, func(int) bool { return true })
	}
	out := make([]int, want)
	for i := range out {
		out[i] = int(int64(i) * int64(n) / int64(want))
	}
	return out
}

func picked(n int, want func(int) bool) []int {
	var out []int
	for i := range n {
		if want(i) {
			out = append(out, i)
		}
	}
	return out
}

// Seed is [testenv.Seed].
func Seed() uint64 { return testenv.Seed() }

// PCG is [testenv.PCG].
func PCG(a, b uint64) *rand.PCG { return testenv.PCG(a, b) }
