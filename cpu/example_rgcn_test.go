package cpu_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// A layer of an RGCN (Schlichtkrull et al., 2018): each node adds up the means of its neighbours, each
// kind of edge through weights of its own, and itself through those of a loop.
func ExampleMulRelations_rgcn() {
	// 0 and 1 cite 2; 2 is written by 3.
	const nodes, cites, writtenBy, self = 4, 0, 1, 2
	to := []int32{2, 2, 2, 0, 1, 2, 3}
	from := []int32{0, 1, 3, 0, 1, 2, 3}
	kind := []int32{cites, cites, writtenBy, self, self, self, self}
	degrees := map[[2]int32]float32{}
	for e := range to {
		degrees[[2]int32{to[e], kind[e]}]++
	}
	values := make([]float32, len(to))
	for e := range to {
		values[e] = 1 / degrees[[2]int32{to[e], kind[e]}]
	}
	graph, err := sparse.RelationsOf(nodes, nodes, 3, to, from, kind, values)
	if err != nil {
		panic(err)
	}
	x := layout.RowMajor([]float32{1, 0, 3, 0, 0, 1, 0, 5}, nodes, 2)
	w := layout.RowMajor([]float32{ // of each kind, 2 x 2
		10, 0, 0, 10,
		0, 1, 1, 0,
		1, 0, 0, 1}, 6, 2)
	h := layout.New[float32](nodes, 2)
	cpu.MulRelations(cpu.Options{}, h, graph, x, w)
	fmt.Println(h.Data)

	// Its gradients, for a loss that is the sum of h.
	dh := layout.RowMajor([]float32{1, 1, 1, 1, 1, 1, 1, 1}, nodes, 2)
	dx, dw := layout.New[float32](nodes, 2), layout.New[float32](6, 2)
	cpu.MulRelationsBack(cpu.Options{}, dx, dw, graph, graph.Transpose(), x, w, dh)
	fmt.Println(dx.Data)
	fmt.Println(dw.Data)
	// Output:
	// [1 0 3 0 25 1 0 5]
	// [6 6 6 6 1 1 2 2]
	// [2 2 0 0 0 0 5 5 4 4 6 6]
}

// A sparse convolution in three dimensions over the points of a scan: 27 offsets, of which each has
// weights, and only points where there are points.
func ExampleMulRelations_sparseConvolution() {
	points := [][3]int32{{5, 5, 5}, {5, 5, 6}, {6, 6, 6}, {40, 0, 7}}
	var offsets [][3]int32
	for n := range int32(27) {
		offsets = append(offsets, [3]int32{n/9 - 1, n/3%3 - 1, n%3 - 1})
	}
	neighbours, err := sparse.Convolution[float32](points, offsets)
	if err != nil {
		panic(err)
	}
	x := layout.RowMajor([]float32{1, 10, 100, 1000}, 4, 1) // one channel
	w := layout.New[float32](27, 1)
	for n, o := range offsets {
		if o[0]*o[0]+o[1]*o[1]+o[2]*o[2] <= 1 { // the point and the six next to it
			w.Set(n, 0, 1)
		}
	}
	out := layout.New[float32](4, 1)
	cpu.MulRelations(cpu.Options{}, out, neighbours, x, w)
	fmt.Println(neighbours.NNZ(), out.Data)
	// Output: 10 [11 11 100 1000]
}
