package graph_test

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/gen/examples/graph"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// Shortest paths from node 0, by relaxing every edge until nothing changes: the
// product of the semiring with min for a sum and + for a product.
func ExampleRelax() {
	// Edge (i, j) of length v leads from j to i; a loop of length 0 keeps what was found.
	inf := float32(math.Inf(1))
	b := sparse.NewBuilder[float32](5, 5)
	for _, e := range []struct {
		from, to int
		length   float32
	}{{0, 1, 4}, {0, 2, 1}, {2, 1, 2}, {1, 3, 5}, {3, 4, 3}} {
		b.Add(e.to, e.from, e.length)
	}
	for i := range 5 {
		b.Add(i, i, 0)
	}
	edges, err := b.Matrix()
	if err != nil {
		panic(err)
	}
	far := layout.RowMajor([]float32{0, inf, inf, inf, inf}, 5, 1)
	for range 4 {
		next := layout.New[float32](5, 1)
		graph.Relax(next, edges, far)
		far = next
	}
	fmt.Println(far.Data)
	// Output: [0 3 1 8 11]
}

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
