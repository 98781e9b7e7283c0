package cpu_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/aggregate"
)

// undirected returns the graph of n nodes with these edges, both ways.
func undirected(n int, edges [][2]int) sparse.Matrix[float64] {
	b := sparse.NewBuilder[float64](n, n)
	for _, e := range edges {
		b.Add(e[0], e[1], 1)
		b.Add(e[1], e[0], 1)
	}
	m, err := b.Matrix()
	if err != nil {
		panic(err)
	}
	return m
}

// twoParts is a graph of two parts, with three triangles:
//
//	0 - 1     4 - 5 - 7
//	| \ |     | /
//	2 - 3     6
var twoParts = undirected(8, [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 3}, {2, 3}, {4, 5}, {4, 6}, {5, 6}, {5, 7}})

// Two steps along the edges of a graph, from everywhere. SciPy: a @ a.
func ExampleSpGEMM() {
	a, _ := sparse.FromCOO(3, 3, []int{0, 0, 1}, []int{1, 2, 2}, []float64{2, 5, 3})
	c, err := cpu.SpGEMM(a, a)
	for e, v := range c.All() {
		fmt.Println(e.I, e.J, v)
	}
	fmt.Println(err)
	// Output:
	// 0 2 6
	// <nil>
}

// The shortest of all ways of two steps: sums are minima, and products sums.
func ExampleSpGEMMOpt() {
	a, _ := sparse.FromCOO(3, 3, []int{0, 0, 1, 2}, []int{1, 2, 0, 0}, []float64{2, 5, 3, 1})
	shortest := cpu.SpGEMMSpec[float64]{Semiring: semiring.MinPlus[float64]()}
	c, _ := cpu.SpGEMMOpt(cpu.Options{}, shortest, a, a)
	fmt.Println("from 0 back to 0:", c.At(0, 0))

	_, err := cpu.SpGEMMOpt(cpu.Options{}, cpu.SpGEMMSpec[float64]{MaxBytes: 50}, a, a)
	fmt.Println(err)
	// Output:
	// from 0 back to 0: 5
	// cpu.SpGEMMOpt: the result, 3 x 3, has at least 5 entries, which take 76 bytes; MaxBytes is 50
}

// A matrix whose values change while its structure stays, such as that of a simulation:
// the structure of the product is found once.
func ExamplePlanSpGEMM() {
	a, _ := sparse.FromCOO(2, 2, []int{0, 0, 1}, []int{0, 1, 1}, []float64{1, 2, 3})
	plan, err := cpu.PlanSpGEMM(cpu.Options{}, cpu.SpGEMMSpec[float64]{}, a, a)
	fmt.Println(plan.NNZ(), err)
	for range 3 {
		c, _ := plan.Multiply(a, a)
		fmt.Println(c.At(0, 0), c.At(0, 1), c.At(1, 1))
		a = a.Scale(2)
	}
	// Output:
	// 3 <nil>
	// 1 8 9
	// 4 32 36
	// 16 128 144
}

// triangles counts those of an undirected graph: each has one edge i > j whose ends have a
// neighbour between or below them in common. Of the product of what is below the diagonal
// only the places of edges are computed, which is what GraphBLAS's C<L> = L*L does.
func triangles(a sparse.Matrix[float64]) float64 {
	l := a.Tril(-1)
	c, err := cpu.SpGEMMOpt(cpu.Options{}, cpu.SpGEMMSpec[float64]{Mask: &l}, l, l)
	if err != nil {
		panic(err)
	}
	count := 0.0
	for _, n := range aggregate.RowSums(c) {
		count += n
	}
	return count
}

// Triangles of a graph.
func Example_triangles() {
	fmt.Println(triangles(twoParts))
	// Output: 3
}

// levels returns how many steps each node is from a source, -1 if there is no way: breadth
// first. The frontier is a sparse vector; a step along all edges at once is its product with
// the graph, of which what was visited is left out. A step costs as much as the edges of the
// frontier, so that all of them together take each edge once.
func levels(a sparse.Matrix[uint8], source int) []int {
	level := make([]int, a.Rows())
	for i := range level {
		level[i] = -1
	}
	frontier, _ := sparse.NewVector(a.Rows(), []int{source}, []uint8{1})
	visited := frontier
	for depth := 0; frontier.NNZ() > 0; depth++ {
		for j := range frontier.All() {
			level[j] = depth
		}
		seen := visited.Row()
		step := cpu.SpGEMMSpec[uint8]{Semiring: semiring.OrAnd[uint8](), Mask: &seen, Complement: true}
		frontier, _ = cpu.SpMSpVOpt(cpu.Options{}, step, frontier, a)
		visited, _ = visited.Union(frontier, semiring.Or[uint8])
	}
	return level
}

// Breadth-first search.
func Example_breadthFirst() {
	edges, _ := sparse.Convert[uint8](twoParts)
	fmt.Println(levels(edges, 1))
	fmt.Println(levels(edges, 6))
	// Output:
	// [1 0 2 1 -1 -1 -1 -1]
	// [-1 -1 -1 -1 1 1 0 2]
}

// first returns its first argument: of a product of labels and edges the label.
func first(x, _ float64) float64 { return x }

// components returns for each node of an undirected graph the least node that it is
// connected with. Labels are a row, each node's own to begin with; in each step nodes take
// the least of their neighbours' and their own.
func components(a sparse.Matrix[float64]) []float64 {
	n := a.Rows()
	row, own, ids := make([]int, n), make([]int, n), make([]float64, n)
	for i := range n {
		own[i], ids[i] = i, float64(i)
	}
	labels, err := sparse.FromCOO(1, n, row, own, ids)
	least := semiring.MinTimes[float64]()
	least.Times = first
	for err == nil {
		var step, next sparse.Matrix[float64]
		if step, err = cpu.SpGEMMOpt(cpu.Options{}, cpu.SpGEMMSpec[float64]{Semiring: least}, labels, a); err == nil {
			if next, err = labels.Union(step, semiring.Min[float64]); next.Equal(labels) {
				break
			}
			labels = next
		}
	}
	_, _, values := labels.CSR()
	return values
}

// Connected components.
func Example_components() {
	fmt.Println(components(twoParts))
	// Output: [0 0 0 0 4 4 4 4]
}
