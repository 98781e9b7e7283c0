package paths_test

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/gen/examples/paths"
	"github.com/tilesmith/tilesmith/layout"
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
