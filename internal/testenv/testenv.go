// Package testenv reads the environment variables of tests. Unlike package level it changes nothing in a
// process, so verify/check may import it, of which generated tests and the command are made.
package testenv

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
)

// Long reports whether TILESMITH_LONG is set, and not to 0.
func Long() bool {
	v := os.Getenv("TILESMITH_LONG")
	return v != "" && v != "0"
}

// Seed returns what TILESMITH_SEED is set to, or 0: a test is the same every day unless somebody asks.
func Seed() uint64 { return Number("TILESMITH_SEED") }

// PCG returns a source of random numbers for a test that tells its sources apart by a and b.
// It is rand.NewPCG(a, b) unless TILESMITH_SEED says otherwise.
func PCG(a, b uint64) *rand.PCG {
	return rand.NewPCG(a^Seed()*0x9e3779b97f4a7c15, b)
}

// Number returns the value of an environment variable, 0 if it is not set. If it is no number, the process ends.
func Number(name string) uint64 {
	v := os.Getenv(name)
	if v == "" {
		return 0
	}
	n, err := strconv.ParseUint(v, 10, 64)
	if err != nil {
		// A panic would bury the sentence under the stacks of all tests.
		fmt.Fprintf(os.Stderr, "%s is %q, want a number such as 7\n", name, v)
		os.Exit(2)
	}
	return n
}
