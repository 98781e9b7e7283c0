package paths_test

import (
	"fmt"
	"math"

	"example.com/shop/paths"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// The distances between all pairs of four towns, from those that a road joins: a product
// with itself doubles the number of roads that a path may have.
func ExampleShortest() {
	none := float32(math.Inf(1))
	roads := layout.RowMajor([]float32{
		0, 3, none, none,
		3, 0, 4, none,
		none, 4, 0, 1,
		none, none, 1, 0,
	}, 4, 4)
	two, far := layout.New[float32](4, 4), layout.New[float32](4, 4)
	paths.Shortest(two, roads, roads)
	paths.Shortest(far, two, two)
	for i := range 4 {
		fmt.Println(far.Data[4*i : 4*i+4])
	}
	// Output:
	// [0 3 7 8]
	// [3 0 4 5]
	// [7 4 0 1]
	// [8 5 1 0]
}

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
		paths.Relax(next, edges, far)
		far = next
	}
	fmt.Println(far.Data)
	// Output: [0 3 1 8 11]
}
