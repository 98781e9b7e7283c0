package cpu_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// Label propagation (Zhu and Ghahramani, 2002): two nodes of a graph have labels, and the others
// take the mean of what their neighbours believe until nothing changes.
func ExampleSpMM_labelPropagation() {
	// Two triangles, 0-1-2 and 3-4-5, joined by the edge from 2 to 3.
	edges := [][2]int{{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}, {2, 3}}
	const nodes, labels = 6, 2
	b := sparse.NewBuilder[float32](nodes, nodes)
	for _, e := range edges {
		b.Add(e[0], e[1], 1)
		b.Add(e[1], e[0], 1)
	}
	graph, err := b.Matrix()
	if err != nil {
		panic(err)
	}
	share := make([]float32, nodes)
	for i := range share {
		share[i] = 1 / float32(graph.RowNNZ(i))
	}
	walk, err := graph.ScaleRows(share)
	if err != nil {
		panic(err)
	}
	known := map[int]int{0: 0, 5: 1}
	belief, next := layout.New[float32](nodes, labels), layout.New[float32](nodes, labels)
	for range 100 {
		cpu.SpMM(next, walk, belief)
		for i, label := range known {
			clear(next.Data[i*labels:][:labels])
			next.Set(i, label, 1)
		}
		belief, next = next, belief
	}
	for i := range nodes {
		fmt.Printf("%.2f ", belief.Data[i*labels:][:labels])
	}
	fmt.Println()
	// Output: [1.00 0.00] [0.86 0.14] [0.71 0.29] [0.29 0.71] [0.14 0.86] [0.00 1.00]
}
