package graph_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/gen/examples/graph"
	"github.com/tilesmith/tilesmith/sparse"
)

// The ranks of four pages, with the teleporting surfer's share as an operand of the
// epilogue. mass is the sum of all ranks, from the same pass.
func ExampleRank() {
	links := [][]int{{1, 2}, {2}, {0}, {0, 2}}
	b := sparse.NewBuilder[float64](4, 4)
	for from, to := range links {
		for _, page := range to {
			b.Add(page, from, 1/float64(len(to)))
		}
	}
	a, err := b.Matrix()
	if err != nil {
		panic(err)
	}
	const damping = 0.85
	rank, next := []float64{.25, .25, .25, .25}, make([]float64, 4)
	jump := []float64{.0375, .0375, .0375, .0375}
	mass := make([]float64, 1)
	for range 60 {
		graph.Rank(next, mass, a, rank, jump, damping)
		rank, next = next, rank
	}
	fmt.Printf("%.3f, together %.3f\n", rank, mass[0])
	// Output: [0.380 0.199 0.384 0.037], together 1.000
}
