package cpu_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/aggregate"
)

// A graph without weights holds no values. Its triangles are counted as in GraphBLAS, C<L> = L*L by plus and pair:
// only C has numbers, and a search goes along its edges.
func Example_pattern() {
	edges := [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 3}, {2, 3}, {4, 5}, {4, 6}, {5, 6}, {5, 7}}
	var from, to []int
	for _, e := range edges {
		from, to = append(from, e[0], e[1]), append(to, e[1], e[0])
	}
	graph, err := sparse.PatternFromCOO(8, 8, from, to)
	fmt.Println(graph, err)
	fmt.Println("degrees", graph.RowCounts())

	l := graph.Tril(-1)
	c, _ := cpu.SpGEMMOpt(cpu.Options{}, cpu.SpGEMMSpec[int64]{MaskPattern: &l}, l, l)
	triangles := int64(0)
	for _, n := range aggregate.RowSums(c) {
		triangles += n
	}
	fmt.Println("triangles", triangles)

	frontier, _ := sparse.NewVector(8, []int{1}, []uint8{1})
	seen := frontier.Row().Pattern()
	for steps := 1; frontier.NNZ() > 0; steps++ {
		step := cpu.SpGEMMSpec[uint8]{Semiring: semiring.OrAnd[uint8](), MaskPattern: &seen, Complement: true}
		frontier, _ = cpu.SpMSpVOpt(cpu.Options{}, step, frontier, graph)
		for node := range frontier.All() {
			fmt.Println("node", node, "after", steps)
		}
		seen, _ = seen.Union(frontier.Row().Pattern())
	}

	sums := make([]float32, 8)
	cpu.SpMV(sums, graph, []float32{1, 1, 1, 1, 1, 1, 1, 1})
	fmt.Println("neighbours", sums)
	// Output:
	// 8 x 8 with 18 entries without values <nil>
	// degrees [3 2 2 3 2 3 2 1]
	// triangles 3
	// node 0 after 1
	// node 3 after 1
	// node 2 after 2
	// neighbours [3 2 2 3 2 3 2 1]
}

// A causal product, tril(a)*b, without building tril(a), and its gradient by b.
func Example_triangularProduct() {
	a, _ := sparse.FromCOO(3, 3, []int{0, 0, 1, 2, 2}, []int{0, 2, 1, 0, 1}, []float64{1, 2, 3, 4, 5})
	b := layout.RowMajor([]float64{1, 10, 2, 20, 3, 30}, 3, 2)
	out, grad := layout.New[float64](3, 2), layout.New[float64](3, 2)
	cpu.SpMM(out, a.Lower(0), b)
	fmt.Println(out.Data)
	cpu.SpMM(grad, a.Transpose().Upper(0), out) // tril(a) transposed, times the gradient of out
	fmt.Println(grad.Data)
	// Output:
	// [1 10 6 60 14 140]
	// [57 570 88 880 0 0]
}
